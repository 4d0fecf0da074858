// Package hostsentry is the module "hosts_entry": a name that the host resolves by
// itself, in /etc/hosts.
package hostsentry

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/lines"
)

// Task is a line of /etc/hosts, or its absence. A line is known by its first name
// and the family of its address: another one with the same first name and family
// is replaced. All other lines stay, also those with the same address.
//
// What kinit adds is marked; cleanup removes it and brings back what it replaced.
//
// Errors:
//   - address is no IP address, or one of names no host name
//   - the file is a link, or no regular file
//   - others change the file each time it is to be written, 50 times
type Task struct {
	// Address is the IPv4 or IPv6 address. For state = "absent" it may be left out.
	Address string `hcl:"address,optional"`
	// Names are the names of the address: the canonical one, then aliases.
	Names []string `hcl:"names"`
	// Path is the absolute path of the file. Default "/etc/hosts".
	Path string `hcl:"path,optional"`
	// State is "present" or "absent". An absent entry is found by its first name, in
	// the family of address where it is given. Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "hosts_entry".
func Kind() module.Kind {
	return module.Kind{Name: "hosts_entry", New: func() module.Task {
		return &Task{Path: "/etc/hosts", State: "present"}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckPath("path", t.Path); err != nil {
		return err
	}
	if len(t.Names) == 0 {
		return errors.New("names is empty, want at least one name")
	}
	for _, name := range t.Names {
		if !regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$`).MatchString(name) {
			return fmt.Errorf("names has %q, want a host name such as \"db1.example\"", name)
		}
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(t.Address); err != nil && (t.State == "present" || t.Address != "") {
		return fmt.Errorf("address is %q, want an IPv4 or IPv6 address", t.Address)
	}
	return nil
}

// Plan compares the file with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	file := lines.File{Path: t.Path, Attr: module.Attr{Mode: 0o644}, Replaces: true, Show: true}
	if t.State == "absent" {
		return file.PlanAbsent(ctx, h, "remove "+t.Names[0]+" from "+t.Path, t.without)
	}
	return file.Plan(ctx, h, fmt.Sprintf("resolve %s as %s in %s", strings.Join(t.Names, ", "), t.Address, t.Path), t.with)
}

// is tells whether a line is the task's.
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

// says tells whether a line has the address and the names, however they are spaced.
func (t *Task) says(line string) bool {
	text, _, _ := strings.Cut(line, "#")
	return slices.Equal(strings.Fields(text), append([]string{t.Address}, t.Names...))
}

// with is the lines with the task's, in the place of the first that it replaces.
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

var _ module.Validator = (*Task)(nil)
