// Package reboot is the module "reboot": it restarts the host where that is needed,
// waits until it is back, and goes on.
package reboot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
)

// Task restarts a host that needs it, and waits until it is back. By default that
// is one on which a package has left /run/reboot-required, as Debian's and Ubuntu's
// kernels do. The restart goes on without the connection, which may drop. The host
// is back when it answers with another boot id, and ready has succeeded.
//
// After the restart it must not be needed any more, or the task fails. Other tasks
// that work on the host at the same time, or on machines reached through it, fail:
// order them with depends_on.
//
// Outputs:
//   - boot_id: the kernel's, new with each boot
//   - elapsed: seconds that the restart took, 0 without one
//
// Errors:
//   - the host is the machine that kinit runs on, or a container on it
//   - it is not ready when the time is over; what it lacked is told
//   - its host key has changed after the restart: that is not tried again
//   - a restart is still needed after it, unless unconditional
//   - the host has no /proc/sys/kernel/random/boot_id
type Task struct {
	// Marker is an absolute path; when something is there, the host needs a restart.
	// Default "/run/reboot-required", unless only_if or unconditional is given.
	Marker string `hcl:"marker,optional"`
	// OnlyIf is a command that changes nothing and ends with 0 when the host needs a
	// restart, such as one that compares uname -r with the newest kernel. It is
	// asked besides marker.
	OnlyIf []string `hcl:"only_if,optional"`
	// Unconditional restarts in every run. Default false.
	Unconditional bool `hcl:"unconditional,optional"`
	// Command restarts the host. Default ["systemctl", "reboot"].
	Command []string `hcl:"command,optional"`
	// Ready is a command that ends with 0 when the restarted host may be used, such
	// as ["systemctl", "is-system-running", "--wait"]. Default: it answers.
	Ready []string `hcl:"ready,optional"`
	// Within is how long the restart may take until the host is ready again, such as
	// "90s". Default "10m".
	Within string `hcl:"within,optional"`

	elapsed time.Duration
	paths   paths
}

// paths is where boot ids are; tests have their own.
type paths struct {
	here  string // on this machine
	there string // on the host
}

// bootID is where the kernel shows a number that is new with each boot; man 4
// random.
const bootID = "/proc/sys/kernel/random/boot_id"

// Kind is the module "reboot".
func Kind() module.Kind {
	return module.Kind{Name: "reboot", Elsewhere: "win_reboot", New: func() module.Task {
		return &Task{Command: []string{"systemctl", "reboot"}, Within: "10m", paths: paths{bootID, bootID}}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if t.Marker != "" {
		if err := fileattr.CheckPath("marker", t.Marker); err != nil {
			return err
		}
	}
	if d, err := time.ParseDuration(t.Within); err != nil || d <= 0 {
		return fmt.Errorf("within is %q, want a duration such as \"90s\"", t.Within)
	}
	switch {
	case t.Unconditional && (t.Marker != "" || len(t.OnlyIf) > 0):
		return errors.New("unconditional needs no reason, want it without marker and only_if")
	case len(t.Command) == 0:
		return errors.New("command is empty, want one such as [\"systemctl\", \"reboot\"]")
	}
	return nil
}

// marker is the path that is looked at, "" for none.
func (t *Task) marker() string {
	if t.Marker == "" && len(t.OnlyIf) == 0 && !t.Unconditional {
		return "/run/reboot-required"
	}
	return t.Marker
}

// reason says why the host needs a restart, "" when it does not.
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
	var exit *module.ExitError
	if errors.As(err, &exit) {
		return "", nil
	}
	return "as asked for by " + cmdtext.Show(h, t.OnlyIf), err
}

// Plan looks whether a restart is needed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	why, err := t.reason(ctx, h)
	if err != nil || why == "" {
		return nil, err
	}
	return []module.Step{module.NewStep("restart the host, "+why, t.do)}, nil
}

// Unverifiable tells that a restart in every run is needed again after it.
func (t *Task) Unverifiable() bool { return t.Unconditional }

// readID reads the boot id of a host.
func (t *Task) readID(ctx context.Context, h module.Host) (string, error) {
	text, there, err := hostfile.Read(ctx, h, t.paths.there)
	if err == nil && !there {
		err = fmt.Errorf("%s is missing: is this Linux, with /proc?", t.paths.there)
	}
	return strings.TrimSpace(text), err
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"boot_id": cty.String, "elapsed": cty.Number}
}

// Outputs reads the boot id.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	id, err := t.readID(ctx, h)
	return map[string]cty.Value{"boot_id": cty.StringVal(id), "elapsed": cty.NumberFloatVal(t.elapsed.Seconds())}, err
}

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
