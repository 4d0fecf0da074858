// Package sysctl is the module "sysctl": one kernel parameter, now and after a
// reboot.
package sysctl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Task is a kernel parameter with a value. The mark records the former
// value; cleanup and state = "absent" restore it unless another
// cluster sets the parameter too.
//
// Errors:
//   - the kernel has no such parameter: load the module that adds it
//   - the kernel refuses the value
type Task struct {
	// Name is the parameter, such as "net.ipv4.ip_forward". As with sysctl, a
	// slash stands for a dot inside a part: "net.ipv4.conf.eth0/100.rp_filter".
	Name string `hcl:"name"`
	// Value is the wanted value. Several numbers are separated by a space.
	Value string `hcl:"value,optional"`
	// Least makes value a minimum, a whole number: a higher parameter does not change.
	Least bool `hcl:"least,optional"`
	// Persistent also writes the parameter to /etc/sysctl.d/90-kinit-<cluster, or
	// "host">-<name>.conf.
	Persistent bool `hcl:"persistent,optional" default:"true"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "sysctl", Elsewhere: "win_registry", Marks: []module.MarkKind{
		module.NewMarkKind("sysctl", "kernel parameter", undoSysctl, module.Restores("kernel parameter")),
	}})
}

var parameter = regexp.MustCompile(`^[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)+$`)

func (t *Task) Validate() error {
	if !parameter.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a kernel parameter such as \"net.ipv4.ip_forward\"", t.Name)
	}
	if !t.Absent() && (normal(t.Value) == "" || strings.Contains(t.Value, "\n")) {
		return fmt.Errorf("value is %q, want one line of text", t.Value)
	}
	if _, err := strconv.ParseInt(t.Value, 10, 64); t.Least && err != nil {
		return fmt.Errorf("value is %q, want a whole number, as least is set", t.Value)
	}
	return nil
}

var dotsAndSlashes = strings.NewReplacer(".", "/", "/", ".")

func procPath(name string) string { return "/proc/sys/" + dotsAndSlashes.Replace(name) }

// file returns the file that sets the parameter at boot.
func (t *Task) file(h module.Host) string {
	return folder + prefix + cmp.Or(h.Owner(), "host") + t.suffix()
}

const (
	folder = "/etc/sysctl.d/"
	prefix = "90-kinit-"
)

func (t *Task) suffix() string { return "-" + strings.ReplaceAll(t.Name, "/", "_") + ".conf" }

func (t *Task) line() string { return t.Name + " = " + normal(t.Value) + "\n" }

// normal makes values comparable: the kernel separates numbers with tabs.
func normal(value string) string { return strings.Join(strings.Fields(value), " ") }

// state is the parameter's current state.
type state struct {
	known  bool   // the kernel has the parameter
	value  string // normal
	kept   string // the content of the file, empty when there is none
	marked bool   // kinit changed the value
	mark   module.Mark
	shared bool // another owner's file sets the parameter too
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	value, known, err := hostfile.Read(ctx, h, procPath(t.Name))
	if err != nil {
		return s, err
	}
	s.known, s.value = known, normal(value)
	if s.kept, _, err = hostfile.Read(ctx, h, t.file(h)); err != nil {
		return s, err
	}
	if !t.Absent() && !t.Least || h.Owner() == "" {
		return s, nil
	}
	if s.mark, s.marked, err = ownership.Of(ctx, h, t.Name, "sysctl"); err != nil {
		return s, err
	}
	if s.marked || t.Least {
		s.shared, err = t.isShared(ctx, h)
	}
	return s, err
}

// isShared looks for the files of other owners.
func (t *Task) isShared(ctx context.Context, h module.Host) (bool, error) {
	infos, err := h.Files().List(ctx, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return slices.ContainsFunc(infos, func(info module.FileInfo) bool {
		ours := folder+info.Name == t.file(h)
		return !ours && strings.HasPrefix(info.Name, prefix) && strings.HasSuffix(info.Name, t.suffix())
	}), nil
}

type Outputs struct {
	Value string `cty:"value"` // the kernel's value
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	return Outputs{Value: s.value}, err
}

// undoSysctl restores the former value of a kernel parameter. If the kernel no longer has
// the parameter, it does nothing.
func undoSysctl(ctx context.Context, h module.Host, mark module.Mark) error {
	there, err := hostfile.Exists(ctx, h, procPath(mark.ID))
	if err != nil || !there {
		return err
	}
	return write(ctx, h, mark.ID, mark.Prior)
}
