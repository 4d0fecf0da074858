// Package selinuxport is the module "selinux_port": ports that programs may use by SELinux' policy.
package selinuxport

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/semanage"
)

// Task is the type of ports in SELinux' policy, so that a server may listen on another port than
// its usual one.
//
// A port that the policy gives another type gets the wanted one instead. The module uses semanage, which also
// changes the policy of a host where SELinux is off. On a host that belongs to a cluster, a mark
// records the former type; cleanup and state = "absent" restore it. Without an owner, state = "absent"
// removes what differs from the policy.
//
// The tests stand in for the program: its lines and errors are those of semanage 3.4 with Debian's policy.
//
// Errors:
//   - the policy has no such type, or a range overlaps with another one of this host
//   - semanage is not installed
type Task struct {
	// Type is the type, such as "ssh_port_t" or "http_port_t". Needed unless state is "absent".
	Type string `hcl:"type,optional"`
	// Protocol is that of the ports.
	Protocol string `hcl:"protocol,optional" enum:"tcp,udp,dccp,sctp" default:"tcp"`
	// Ports are ports or ranges, such as "2222" or "6000-6010". A range is one entry of the policy: the ports
	// in it do not count by themselves.
	Ports []string `hcl:"ports" nonempty:"want at least one, such as \"2222\""`
	module.Presence
}

// Mark is the kind of the mark of a port whose type kinit set. The ID is the protocol, a space and the
// port; the Prior is the type that the host gave it before, empty for none.
const Mark = "selinux_port"

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "selinux_port", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "type of port", undo, module.Restores("the type of the port")),
	}})
}

var typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (t *Task) Validate() error {
	if t.Type == "" && !t.Absent() {
		return errors.New("want type, such as \"ssh_port_t\": \"semanage port -l\" lists those of the policy")
	}
	if t.Type != "" && !typeName.MatchString(t.Type) {
		return fmt.Errorf("type is %q, want a type of ports such as \"ssh_port_t\"", t.Type)
	}
	for _, ports := range t.Ports {
		first, last, ranged := strings.Cut(ports, "-")
		from, err := strconv.ParseUint(first, 10, 16)
		to := from
		if ranged && err == nil {
			to, err = strconv.ParseUint(last, 10, 16)
		}
		if err != nil || from == 0 || ranged && to <= from {
			return fmt.Errorf("ports has %q, want a port or a range, such as \"2222\" or \"6000-6010\"", ports)
		}
	}
	return nil
}

// state is the types of ports, each by the protocol, a space and the port.
type state struct {
	policy map[string][]string // with what the host adds
	local  map[string]string   // what the host adds, which has priority
}

func read(ctx context.Context, h module.Host) (state, error) {
	s := state{policy: map[string][]string{}, local: map[string]string{}}
	all, err := semanage.List(ctx, h, "port", false)
	if err != nil {
		return s, err
	}
	parse(all, func(port, name string) { s.policy[port] = append(s.policy[port], name) })
	local, err := semanage.List(ctx, h, "port", true)
	parse(local, func(port, name string) { s.local[port] = name })
	return s, err
}

// parse reads lines such as "ssh_port_t  tcp  2222, 22".
func parse(lines []string, add func(port, name string)) {
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		for port := range strings.SplitSeq(strings.Join(fields[2:], ""), ",") {
			add(fields[1]+" "+port, fields[0])
		}
	}
}

// is reports whether a port has the type.
func (s state) is(port, name string) bool {
	if local, there := s.local[port]; there {
		return local == name
	}
	return slices.Contains(s.policy[port], name)
}

// Plan has a step for each port.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := read(ctx, h)
	if err != nil {
		return nil, err
	}
	var steps []module.Step
	for _, number := range t.Ports {
		port := t.Protocol + " " + number
		step, err := t.decide(ctx, h, s, port)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step...)
	}
	return steps, nil
}

func (t *Task) decide(ctx context.Context, h module.Host, s state, port string) ([]module.Step, error) {
	if t.Absent() {
		return planAbsent(ctx, h, s, port)
	}
	if s.is(port, t.Type) {
		return nil, nil
	}
	text := fmt.Sprintf("give port %s the type %s", port, t.Type)
	if was := s.local[port]; was != "" {
		text += ", was " + was
	} else if was := s.policy[port]; len(was) > 0 {
		text += ", was " + strings.Join(was, ", ")
	}
	return module.OneStep(text, func(ctx context.Context, h module.Host) error { return t.set(ctx, h, port) }), nil
}

func (t *Task) set(ctx context.Context, h module.Host, port string) error {
	s, err := read(ctx, h)
	if err != nil || s.is(port, t.Type) {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: Mark, ID: port, Prior: s.local[port]}); err != nil {
		return err
	}
	verb := "--add"
	if len(s.policy[port]) > 0 {
		verb = "--modify"
	}
	return change(ctx, h, port, verb, "--type", t.Type)
}

// change changes what the host adds to the policy for a port.
func change(ctx context.Context, h module.Host, port string, args ...string) error {
	protocol, number, _ := strings.Cut(port, " ")
	_, err := semanage.Run(ctx, h, append(append([]string{"port"}, args...), "--proto", protocol, number)...)
	return err
}

// planAbsent restores the former state. Without an owner that is unknown: the port gets what the policy says.
func planAbsent(ctx context.Context, h module.Host, s state, port string) ([]module.Step, error) {
	mark, marked, err := ownership.Of(ctx, h, port, Mark)
	if err != nil {
		return nil, err
	}
	if local := s.local[port]; h.Owner() == "" && local != "" {
		return ownership.UndoStep("take the type "+local+" from port "+port, module.Mark{Kind: Mark, ID: port}, undo), nil
	}
	if !marked {
		return nil, nil
	}
	text := "take the type " + s.local[port] + " from port " + port
	switch {
	case mark.Prior == s.local[port]:
		text = "release port " + port + ", whose type stays"
	case mark.Prior != "":
		text = "give port " + port + " the type " + mark.Prior + " again"
	}
	return ownership.UndoStep(text, mark, undo), nil
}

// undo gives a port the type in the mark, or that of the policy.
func undo(ctx context.Context, h module.Host, mark module.Mark) error {
	s, err := read(ctx, h)
	if err != nil || s.local[mark.ID] == mark.Prior {
		return err
	}
	switch {
	case mark.Prior == "":
		return change(ctx, h, mark.ID, "--delete")
	case s.local[mark.ID] == "" && len(s.policy[mark.ID]) == 0:
		return change(ctx, h, mark.ID, "--add", "--type", mark.Prior)
	}
	return change(ctx, h, mark.ID, "--modify", "--type", mark.Prior)
}
