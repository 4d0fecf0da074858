// Package selinuxboolean is the module "selinux_boolean": a switch of SELinux' policy.
package selinuxboolean

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/semanage"
)

// Task is a boolean of SELinux' policy, now and after a boot.
//
// It uses semanage, which also changes the policy of a host where SELinux is off. On a host that
// belongs to a cluster, a mark records the former value; cleanup and state = "absent" restore it.
//
// The tests stand in for the program: its lines and errors are those of semanage 3.4 with Debian's policy.
//
// Errors:
//   - the policy has no such boolean
//   - semanage is not installed
type Task struct {
	// Name is the boolean, such as "httpd_can_network_connect".
	Name string `hcl:"name"`
	// Value is the wanted value.
	Value bool `hcl:"value,optional" default:"true"`
	module.Presence
}

// Mark is the kind of the mark of a boolean that kinit set; the ID is its name, the Prior "on" or "off".
const Mark = "selinux_boolean"

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "selinux_boolean", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "SELinux boolean", undo, module.Restores("SELinux boolean")),
	}})
}

var boolean = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

func (t *Task) Validate() error {
	if !boolean.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a boolean such as \"httpd_can_network_connect\"", t.Name)
	}
	return nil
}

// state is what a boolean is now and after a boot: "on" or "off", or nothing for one that the policy
// does not have.
type state struct{ live, kept string }

func (s state) is(word string) bool { return s.live == word && s.kept == word }

func read(ctx context.Context, h module.Host, name string) (state, error) {
	lines, err := semanage.List(ctx, h, "boolean", false)
	return parse(lines, name), err
}

// row matches "httpd_can_network_connect (off  ,  on)  Allow …": the value and that of the next boot.
var row = regexp.MustCompile(`^(\S+)\s+\((\w+)\s*,\s*(\w+)\s*\)`)

func parse(lines []string, name string) state {
	for _, line := range lines {
		if found := row.FindStringSubmatch(line); found != nil && found[1] == name {
			return state{found[2], found[3]}
		}
	}
	return state{}
}

func word(value bool) string { return map[bool]string{true: "on", false: "off"}[value] }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := read(ctx, h, t.Name)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.planAbsent(ctx, h, s)
	}
	return t.decide(s)
}

// decide needs no host.
func (t *Task) decide(s state) ([]module.Step, error) {
	want := word(t.Value)
	switch {
	case s.kept == "":
		return nil, fmt.Errorf("name: the policy has no boolean %q: \"semanage boolean -l\" lists those it has", t.Name)
	case s.is(want):
		return nil, nil
	case s.live == want:
		return module.OneStep(fmt.Sprintf("keep %s %s after a boot", t.Name, want), t.set), nil
	}
	return module.OneStep(fmt.Sprintf("turn %s %s", t.Name, want), t.set), nil
}

func (t *Task) set(ctx context.Context, h module.Host) error {
	s, err := read(ctx, h, t.Name)
	if err != nil || s.is(word(t.Value)) {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: Mark, ID: t.Name, Prior: s.kept}); err != nil {
		return err
	}
	return turn(ctx, h, t.Name, word(t.Value))
}

// turn changes a boolean now and for the next boot.
func turn(ctx context.Context, h module.Host, name, word string) error {
	_, err := semanage.Run(ctx, h, "boolean", "--modify", "--"+word, name)
	return err
}

func (t *Task) planAbsent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	mark, marked, err := ownership.Of(ctx, h, t.Name, Mark)
	if err != nil || !marked {
		return nil, err
	}
	text := fmt.Sprintf("turn %s %s again", t.Name, mark.Prior)
	if s.is(mark.Prior) {
		text = fmt.Sprintf("release %s, which stays %s", t.Name, mark.Prior)
	}
	return ownership.UndoStep(text, mark, undo), nil
}

// undo restores the value in the mark. A policy that no longer has the boolean needs nothing.
func undo(ctx context.Context, h module.Host, mark module.Mark) error {
	s, err := read(ctx, h, mark.ID)
	if err != nil || s.kept == "" || s.is(mark.Prior) {
		return err
	}
	if !strings.HasPrefix(mark.Prior, "o") {
		return fmt.Errorf("the mark of the boolean %s does not say how it was: %q", mark.ID, mark.Prior)
	}
	return turn(ctx, h, mark.ID, mark.Prior)
}

type Outputs struct {
	Value bool `cty:"value"` // the one it has now
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := read(ctx, h, t.Name)
	return Outputs{Value: s.live == "on"}, err
}
