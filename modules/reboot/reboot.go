// Package reboot is the module "reboot": it restarts the host if needed and
// waits until it is back.
package reboot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/hostfile"
)

// Task restarts a host that needs it, and waits until it is back. By default a host needs
// it if a package has left /run/reboot-required, as Debian's and Ubuntu's
// kernels do. The restart continues even if the connection drops. The host
// is back when it answers with another boot id, and ready has succeeded.
//
// If a restart is still needed afterwards, the task fails. Other tasks
// that work on the host at the same time, or on machines reached through it, fail:
// order them with depends_on.
//
// Errors:
//   - the host is the machine that kinit runs on, or a container on it
//   - it is not ready when the time is over; the error has the reason
//   - its host key has changed after the restart: that is not tried again
//   - a restart is still needed after it, unless unconditional
//   - the host has no /proc/sys/kernel/random/boot_id
type Task struct {
	// Marker is an absolute path; if it exists, the host needs a restart.
	// Default "/run/reboot-required", unless only_if or unconditional is given.
	Marker string `hcl:"marker,optional" path:"clean"`
	// OnlyIf is a command that changes nothing and ends with 0 if the host needs a
	// restart, such as one that compares uname -r with the newest kernel. It is
	// checked in addition to marker.
	OnlyIf []string `hcl:"only_if,optional"`
	// Unconditional restarts in every run.
	Unconditional bool `hcl:"unconditional,optional"`
	// Command restarts the host.
	Command []string `hcl:"command,optional" default:"systemctl,reboot" nonempty:"want one such as [\"systemctl\", \"reboot\"]"`
	// Ready is a command that ends with 0 when the restarted host is usable, such
	// as ["systemctl", "is-system-running", "--wait"]. Default: the host answers.
	Ready []string `hcl:"ready,optional"`
	// Within is how long the restart can take until the host is ready again, such as "90s".
	Within module.Duration `hcl:"within,optional" default:"10m" like:"90s"`

	elapsed time.Duration
	paths   paths
}

// paths is the paths of boot ids; tests use others.
type paths struct {
	here  string // on this machine
	there string // on the host
}

// bootID is the kernel's file with a number that is new at each boot; man 4
// random.
const bootID = "/proc/sys/kernel/random/boot_id"

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "reboot", Elsewhere: "win_reboot", New: func() module.Task {
		return module.SetDefaults(&Task{paths: paths{bootID, bootID}})
	}})
}

func (t *Task) Validate() error {
	if t.Unconditional && (t.Marker != "" || len(t.OnlyIf) > 0) {
		return errors.New("unconditional needs no reason, want it without marker and only_if")
	}
	return nil
}

// marker returns the path to check, "" for none.
func (t *Task) marker() string {
	if t.Marker == "" && len(t.OnlyIf) == 0 && !t.Unconditional {
		return "/run/reboot-required"
	}
	return t.Marker
}

// reason returns why the host needs a restart, "" if it does not.
func (t *Task) reason(ctx context.Context, h module.Host) (string, error) {
	if t.Unconditional {
		return "as in every run", ctx.Err()
	}
	if marker := t.marker(); marker != "" {
		there, err := hostfile.Exists(ctx, h, marker)
		if err != nil {
			return "", err
		}
		if there {
			return "as there is " + marker, nil
		}
	}
	if len(t.OnlyIf) == 0 {
		return "", ctx.Err()
	}
	_, err := h.Run(ctx, module.Command{Argv: t.OnlyIf})
	if module.Exited(err) {
		return "", nil
	}
	return "as asked for by " + cmdtext.Show(h, t.OnlyIf), err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	why, err := t.reason(ctx, h)
	if err != nil || why == "" {
		return nil, err
	}
	return module.OneStep("restart the host, "+why, t.do), nil
}

// Unverifiable reports whether every run restarts the host.
func (t *Task) Unverifiable() bool { return t.Unconditional }

func (t *Task) readID(ctx context.Context, h module.Host) (string, error) {
	text, there, err := hostfile.Read(ctx, h, t.paths.there)
	if err == nil && !there {
		err = fmt.Errorf("%s is missing: is this Linux, with /proc?", t.paths.there)
	}
	return strings.TrimSpace(text), err
}

type Outputs struct {
	BootID  string  `cty:"boot_id"` // the kernel's, new with each boot
	Elapsed float64 `cty:"elapsed"` // seconds that the restart took, 0 without one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	id, err := t.readID(ctx, h)
	return Outputs{BootID: id, Elapsed: t.elapsed.Seconds()}, err
}
