// Package hostname is the module "hostname": the host's own name.
package hostname

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// The mark of a name that kinit set. There is at most one.
const (
	Mark = "hostname" // the kind; the Prior is how it was, in JSON
	id   = "name"
)

// file contains the name for the next boot; man 5 hostname.
const file = "/etc/hostname"

// Task is the host's name, now and after a boot. To resolve the name, use
// /etc/hosts or DNS; see the module hosts_entry.
//
// On a host that belongs to a cluster, a mark records the former name; cleanup
// and state = "absent" restore it.
//
// Errors:
//   - name is not a host name, or longer than 64 bytes
//   - the kernel refuses the change, as in some containers
type Task struct {
	// Name is the name: letters, digits and "-", with dots between the parts of a full
	// name; at most 64 bytes, the kernel's limit.
	Name string `hcl:"name,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "hostname", Elsewhere: "win_hostname", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "host", Undo, module.Restores("host")),
	}})
}

// maxName is __NEW_UTS_LEN.
const maxName = 64

// validName matches a host name; RFC 1123, section 2.1.
var validName = regexp.MustCompile(`^` + label + `(\.` + label + `)*$`)

const label = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	if len(t.Name) > maxName || !validName.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a host name such as \"web1\" or \"web1.example\", at most 64 bytes", t.Name)
	}
	return nil
}

// names is the host's current names.
type names struct {
	Live string `json:"live"` // by the kernel
	Kept string `json:"kept"` // in the file; "" when there is none
}

func read(ctx context.Context, h module.Host) (names, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"uname", "-n"}})
	if err != nil {
		return names{}, err
	}
	kept, _, err := hostfile.Read(ctx, h, file)
	return names{Live: strings.TrimSpace(out.Stdout), Kept: strings.TrimSpace(kept)}, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := read(ctx, h)
	if err != nil {
		return nil, err
	}
	if !t.Absent() {
		return t.decide(have), nil
	}
	text := func(was names) string { return fmt.Sprintf("name the host %s again, was %s", was.Live, have.Live) }
	return ownership.Restore(ctx, h, id, Mark, prior, text, Undo)
}

func (t *Task) decide(have names) []module.Step {
	shown := have.Live
	switch {
	case have == names{t.Name, t.Name}:
		return nil
	case have.Live == t.Name:
		shown = fmt.Sprintf("%q in %s", have.Kept, file)
	}
	return module.OneStep(fmt.Sprintf("name the host %s, was %s", t.Name, shown), t.set)
}

func (t *Task) set(ctx context.Context, h module.Host) error {
	have, err := read(ctx, h)
	if err != nil {
		return err
	}
	if err := ownership.Keep(ctx, h, Mark, id, have); err != nil {
		return err
	}
	return write(ctx, h, names{t.Name, t.Name})
}

// write changes both names. The kernel's is a file below /proc, which every system
// has; the programs hostname and hostnamectl are missing on some. systemd-hostnamed
// notices.
func write(ctx context.Context, h module.Host, want names) error {
	if want.Kept == "" {
		if err := h.Files().Remove(ctx, file); err != nil {
			return fmt.Errorf("remove %s: %w", file, err)
		}
	} else if err := hostfile.Write(ctx, h, file, want.Kept+"\n", module.Attr{Mode: 0o644}); err != nil {
		return err
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{"tee", "--", "/proc/sys/kernel/hostname"}, Stdin: strings.NewReader(want.Live + "\n")})
	return err
}

func prior(mark module.Mark) (names, error) {
	return ownership.Was(mark, "the host's name", func(was names) bool { return was.Live != "" })
}

// Undo restores the name in the mark.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	was, err := prior(mark)
	if err != nil {
		return err
	}
	return write(ctx, h, was)
}

type Outputs struct {
	Name string `cty:"name"` // the one it has now
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := read(ctx, h)
	return Outputs{Name: have.Live}, err
}
