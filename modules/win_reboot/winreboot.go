// Package winreboot is the module "win_reboot": it restarts a Windows host if needed and
// waits until it is back.
package winreboot

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/poll"
	"kinit/modules/internal/powershell"
)

//go:embed pending.ps1
var pendingScript string

//go:embed restart.ps1
var restartScript string

// patience is how long one request for the restart can take.
const patience = time.Minute

// Task restarts a Windows host that needs it, and waits until it is back. It needs a restart
// if Windows requires one, or required is true. The host is back when it has started again,
// independent of its clock, and ready succeeds.
//
// If Windows still requires a restart afterwards, the task fails. Other tasks
// that work on the host at the same time fail: order them with depends_on.
//
// Errors:
//   - it is not ready when the time is over; the error has the reason
//   - its host key has changed after the restart: that is not tried again
//   - Windows still requires a restart after it
type Task struct {
	// Required requests a restart even if Windows does not require one, such as from the
	// output reboot_required of win_feature.
	Required bool `hcl:"required,optional"`
	// Ready is a script of PowerShell that changes nothing and ends with 0 when the
	// restarted host is usable. Default: the host answers.
	Ready string `hcl:"ready,optional"`
	// Within is how long the restart can take until the host is ready again, such as "10m":
	// Windows may install parts of itself meanwhile.
	Within module.Duration `hcl:"within,optional" default:"30m" like:"10m"`

	elapsed time.Duration
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_reboot", OS: []module.OS{module.Windows}, Elsewhere: "reboot"})
}

// reasons returns why the host needs a restart, "" if it does not.
func (t *Task) reasons(ctx context.Context, h module.Host) (string, error) {
	pending, err := powershell.Read[struct{ Reasons []string }](ctx, h, pendingScript, nil)
	if err == nil && len(pending.Reasons) == 0 && t.Required {
		return "as the playbook asks for it", nil
	}
	if len(pending.Reasons) == 0 {
		return "", err
	}
	return "since " + strings.Join(pending.Reasons, " and "), err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	why, err := t.reasons(ctx, h)
	if err != nil || why == "" {
		return nil, err
	}
	return module.OneStep("restart the host, "+why, t.do), nil
}

// Unverifiable reports whether the playbook requires a restart in every
// run.
func (t *Task) Unverifiable() bool { return t.Required }

// do restarts the host if that is still needed.
func (t *Task) do(ctx context.Context, h module.Host) error {
	why, err := t.reasons(ctx, h)
	if err != nil || why == "" {
		return err
	}
	before, err := powershell.LastBoot(ctx, h)
	if err != nil {
		return err
	}
	within := t.Within.Time()
	back, err := module.Away(ctx, h, module.Stretch(h, within))
	if err != nil {
		return err
	}
	defer back()
	start := time.Now()
	if err := t.ask(ctx, h, before, within); err != nil {
		return fmt.Errorf("restart %s: %w", h.Name(), err)
	}
	err = powershell.WaitForBoot(ctx, h, before, within, func(ctx context.Context) (bool, string, error) { return t.look(ctx, h) })
	t.elapsed = time.Since(start)
	if late, ok := errors.AsType[*poll.Late](err); ok {
		return fmt.Errorf("%s was restarted and is not ready after %s: %s", h.Name(), late.Limit, late.Why)
	}
	return err
}

// ask requests the restart until the host confirms it. If the host goes down during the
// request, it is repeated when the host is back, and the script then does nothing.
func (t *Task) ask(ctx context.Context, h module.Host, before powershell.Boot, within time.Duration) error {
	var refused *powershell.Error
	wait := poll.Wait{For: "the restart to begin", Within: within}
	err := poll.Until(ctx, h, wait, poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) {
		err := powershell.Run(ctx, h, restartScript, map[string]any{"boot": before.ID}, nil)
		if errors.As(err, &refused) {
			err = nil
		}
		return err == nil, "", err
	}))
	if refused != nil {
		return refused
	}
	return err
}

// look returns what the restarted host still lacks.
func (t *Task) look(ctx context.Context, h module.Host) (done bool, why string, err error) {
	if t.Ready == "" {
		return true, "", nil
	}
	_, err = h.Run(ctx, module.Command{PowerShell: t.Ready})
	return err == nil, "", err
}

type Outputs struct {
	LastBoot string  `cty:"last_boot"` // when the host started, in UTC
	Elapsed  float64 `cty:"elapsed"`   // seconds that the restart took, 0 without one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	boot, err := powershell.LastBoot(ctx, h)
	return Outputs{LastBoot: boot.Time, Elapsed: t.elapsed.Seconds()}, err
}
