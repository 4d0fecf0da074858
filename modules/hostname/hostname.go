// Package hostname is the module "hostname": what the host calls itself.
package hostname

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
)

// The mark of a name that kinit gave. There is one at most.
const (
	Mark = "hostname" // the kind; the Prior is how it was, in JSON
	id   = "name"
)

// file is where the name is kept for the next boot; man 5 hostname.
const file = "/etc/hostname"

// Task is the host's name, now and after a boot. That the name resolves is the
// matter of /etc/hosts or of DNS; see the module hosts_entry.
//
// On a host that belongs to a cluster the name it had is kept in a mark; cleanup
// and state = "absent" bring it back.
//
// Outputs:
//   - name: the one it has now
//
// Errors:
//   - name is no host name, or longer than 64 bytes
//   - the kernel does not let it be changed, as in some containers
type Task struct {
	// Name is the name: letters, digits and "-", with dots between the parts where
	// it is a full one; at most 64 bytes, the kernel's limit.
	Name string `hcl:"name,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "hostname".
func Kind() module.Kind {
	return module.Kind{Name: "hostname", Elsewhere: "win_hostname", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	// RFC 1123, section 2.1; __NEW_UTS_LEN is 64.
	label := `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	if len(t.Name) > 64 || !regexp.MustCompile(`^`+label+`(\.`+label+`)*$`).MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a host name such as \"web1\" or \"web1.example\", at most 64 bytes", t.Name)
	}
	return nil
}

// names is what the host is called.
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

// Plan compares the names with the argument.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "present" {
		return decide(have, names{t.Name, t.Name}, "name the host %s, was %s", t.set), nil
	}
	mark, marked, err := claim.Of(ctx, h, id, Mark)
	if err != nil || !marked {
		return nil, err
	}
	was, err := prior(mark)
	if err != nil {
		return nil, err
	}
	return []module.Step{module.NewStep(fmt.Sprintf("name the host %s again, was %s", was.Live, have.Live),
		func(ctx context.Context, h module.Host) error {
			if err := Undo(ctx, h, mark); err != nil {
				return err
			}
			return h.Disown(ctx, mark)
		})}, nil
}

// decide compares data alone.
func decide(have, want names, text string, do func(context.Context, module.Host) error) []module.Step {
	if have == want {
		return nil
	}
	shown := have.Live
	if have.Live == want.Live {
		shown = fmt.Sprintf("%q in %s", have.Kept, file)
	}
	return []module.Step{module.NewStep(fmt.Sprintf(text, want.Live, shown), do)}
}

func (t *Task) set(ctx context.Context, h module.Host) error {
	have, err := read(ctx, h)
	if err != nil {
		return err
	}
	was, err := json.Marshal(have)
	if err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: Mark, ID: id, Prior: string(was)}); err != nil {
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
	var was names
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil || was.Live == "" {
		return was, fmt.Errorf("the mark of the host's name does not say how it was: %q", mark.Prior)
	}
	return was, nil
}

// Undo gives the host the name that its mark keeps.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	was, err := prior(mark)
	if err != nil {
		return err
	}
	return write(ctx, h, was)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"name": cty.String} }

// Outputs reads the name.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	have, err := read(ctx, h)
	return map[string]cty.Value{"name": cty.StringVal(have.Live)}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
