// Package hostsentry is the module "hosts_entry": a name that the host resolves locally,
// in /etc/hosts.
package hostsentry

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/lines"
)

// Task is a present or absent line of /etc/hosts. A line is identified by its first name
// and the family of its address: another one with the same first name and family
// is replaced. All other lines remain, also those with the same address.
// An absent entry is found by its first name, and by the family of address if that is
// given.
//
// Lines that kinit adds are marked; cleanup removes them and restores the replaced ones.
//
// Errors:
//   - address is not an IP address, or one of names not a host name
//   - the file is a link, or not a regular file
//   - others changed the file at each of 50 attempts to write it
type Task struct {
	// Address is the IPv4 or IPv6 address. It is optional for state = "absent".
	Address string `hcl:"address,optional"`
	// Names are the names of the address: the canonical one, then aliases.
	Names []string `hcl:"names" nonempty:"want at least one name"`
	// Path is the absolute path of the file.
	Path string `hcl:"path,optional" default:"/etc/hosts" path:"clean"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "hosts_entry", Marks: []module.MarkKind{
		lines.Marks(),
	}})
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$`)

func (t *Task) Validate() error {
	for _, name := range t.Names {
		if !hostName.MatchString(name) {
			return fmt.Errorf("names has %q, want a host name such as \"db1.example\"", name)
		}
	}
	if _, err := netip.ParseAddr(t.Address); err != nil && (!t.Absent() || t.Address != "") {
		return fmt.Errorf("address is %q, want an IPv4 or IPv6 address", t.Address)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	file := lines.File{Path: t.Path, Attr: module.Attr{Mode: 0o644}, Replaces: true, Show: true}
	if t.Absent() {
		return file.PlanAbsent(ctx, h, "remove "+t.Names[0]+" from "+t.Path, t.without)
	}
	return file.Plan(ctx, h, fmt.Sprintf("resolve %s as %s in %s", strings.Join(t.Names, ", "), t.Address, t.Path), t.with)
}

// is reports whether a line is the task's.
func (t *Task) is(line string) bool {
	text, _, _ := strings.Cut(line, "#")
	fields := strings.Fields(text)
	if len(fields) < 2 || !strings.EqualFold(fields[1], t.Names[0]) {
		return false
	}
	have, err := netip.ParseAddr(fields[0])
	if err != nil {
		return false
	}
	want, err := netip.ParseAddr(t.Address)
	return err != nil || want.Is4() == have.Is4()
}

// says reports whether a line has the address and the names, with any spacing.
func (t *Task) says(line string) bool {
	text, _, _ := strings.Cut(line, "#")
	return slices.Equal(strings.Fields(text), append([]string{t.Address}, t.Names...))
}

// with returns the lines with the task's line, at the place of the first line that it replaces.
func (t *Task) with(have []string) []string {
	line := t.Address + "\t" + strings.Join(t.Names, " ")
	if i := slices.IndexFunc(have, t.says); i >= 0 {
		line = have[i]
	}
	var out []string
	for _, one := range have {
		switch {
		case !t.is(one):
			out = append(out, one)
		case line != "":
			out = append(out, line)
			line = ""
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

func (t *Task) without(have []string) []string { return slices.DeleteFunc(have, t.is) }
