// Package selinux is the module "selinux": whether the host enforces SELinux' policy.
package selinux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// The mark of a mode that kinit set. There is at most one.
const (
	Mark = "selinux" // the kind; the Prior is how it was, in JSON
	id   = "mode"
)

// file has the mode of the next boot; man 5 selinux_config.
const file = "/etc/selinux/config"

// disabled is a kernel without SELinux.
const disabled = "disabled"

// Task is the mode of SELinux, now and after a boot. Between enforcing and permissive the kernel
// changes at once. SELinux is turned on and off by a boot alone: then the output reboot_required is
// true until that, and a task of the module reboot can ask for it in when.
//
// On a host that belongs to a cluster, a mark records the former mode; cleanup and
// state = "absent" restore it. Debian's kernel also needs "security=selinux" on its command line,
// which selinux-activate writes.
//
// The tests stand in for the kernel: they change the file and see which mode the program is asked for.
//
// Errors:
//   - /etc/selinux/config is missing: no policy is installed
//   - getenforce is not installed
type Task struct {
	// Mode is "enforcing"; "permissive", which reports what the policy forbids and allows it; or
	// "disabled".
	Mode string `hcl:"mode,optional" enum:"enforcing,permissive,disabled" default:"enforcing"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "selinux", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "SELinux", undo, module.Restores("SELinux'")),
	}})
}

// modes are those of a host.
type modes struct {
	Live string `json:"live"` // the kernel's
	Kept string `json:"kept"` // of the next boot
	text string // the file
}

func read(ctx context.Context, h module.Host) (modes, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"getenforce"}})
	if module.Exited(err, 127) {
		return modes{}, fmt.Errorf("getenforce is not installed, it is in the package selinux-utils or libselinux-utils: %w", err)
	}
	if err != nil {
		return modes{}, err
	}
	have := modes{Live: strings.ToLower(strings.TrimSpace(out.Stdout))}
	text, there, err := hostfile.Read(ctx, h, file)
	if err == nil && !there {
		err = errors.New(file + " is missing: install a policy before, such as selinux-policy-targeted, or selinux-policy-default on Debian")
	}
	have.text = text
	if found := line.FindStringSubmatch(text); found != nil {
		have.Kept = strings.ToLower(found[1])
	}
	return have, err
}

// line matches the mode in the file. A later line has no effect: the kernel reads the first one.
var line = regexp.MustCompile(`(?m)^SELINUX=[ \t]*(\w*)[ \t]*$`)

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := read(ctx, h)
	if err != nil {
		return nil, err
	}
	if !t.Absent() {
		return t.decide(have), nil
	}
	text := func(was modes) string { return "set SELinux back to " + was.Kept + ", was " + have.Kept }
	return ownership.Restore(ctx, h, id, Mark, prior, text, undo)
}

// decide needs no host.
func (t *Task) decide(have modes) []module.Step {
	var steps []module.Step
	if have.Kept != t.Mode {
		steps = module.OneStep(fmt.Sprintf("set SELinux to %s at boot, was %s", t.Mode, cmp.Or(have.Kept, "not given")), t.set)
	}
	if have.switches(t.Mode) {
		steps = append(steps, module.NewStep(fmt.Sprintf("switch SELinux to %s, was %s", t.Mode, have.Live), t.set))
	}
	return steps
}

// switches reports whether the kernel can change to a mode and is in another one.
func (m modes) switches(mode string) bool {
	return m.Live != mode && m.Live != disabled && mode != disabled
}

// set records the host's modes in a mark, and changes those that differ.
func (t *Task) set(ctx context.Context, h module.Host) error {
	have, err := read(ctx, h)
	if err != nil {
		return err
	}
	if err := ownership.Keep(ctx, h, Mark, id, have); err != nil {
		return err
	}
	return have.become(ctx, h, t.Mode, t.Mode)
}

// become changes the mode of the next boot and that of the kernel.
func (m modes) become(ctx context.Context, h module.Host, kept, live string) error {
	if m.Kept != kept {
		if err := hostfile.Write(ctx, h, file, edited(m.text, kept), module.Attr{Mode: 0o644}); err != nil {
			return err
		}
	}
	if !m.switches(live) {
		return nil
	}
	number := map[string]string{"enforcing": "1", "permissive": "0"}[live]
	return module.Exec(ctx, h, "setenforce", number)
}

// edited returns the text of the file with another mode; without one, it had no line.
func edited(text, mode string) string {
	at := line.FindStringIndex(text)
	switch {
	case at == nil:
		return strings.TrimSuffix(text, "\n") + "\nSELINUX=" + mode + "\n"
	case mode == "":
		return text[:at[0]] + strings.TrimPrefix(text[at[1]:], "\n")
	}
	return text[:at[0]] + "SELINUX=" + mode + text[at[1]:]
}

func prior(mark module.Mark) (modes, error) {
	return ownership.Was(mark, "SELinux' mode", func(was modes) bool { return was.Live != "" })
}

// undo restores the modes in the mark. Without the policy there is nothing to restore.
func undo(ctx context.Context, h module.Host, mark module.Mark) error {
	was, err := prior(mark)
	if err != nil {
		return err
	}
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil || !there {
		return err
	}
	have, err := read(ctx, h)
	if err != nil {
		return err
	}
	return have.become(ctx, h, was.Kept, was.Live)
}

type Outputs struct {
	Mode           string `cty:"mode"`            // the kernel's: "enforcing", "permissive" or "disabled"
	RebootRequired bool   `cty:"reboot_required"` // whether SELinux is turned on or off by the next boot
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := read(ctx, h)
	return Outputs{Mode: have.Live, RebootRequired: (have.Live == disabled) != (have.Kept == disabled)}, err
}
