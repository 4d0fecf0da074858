// Package winreboot is the module "win_reboot": it restarts a Windows host where that
// is needed, waits until it is back, and goes on.
package winreboot

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/poll"
	"kinit/modules/internal/powershell"
)

//go:embed pending.ps1
var pendingScript string

//go:embed restart.ps1
var restartScript string

// patience is how long asking once for the restart may take.
const patience = time.Minute

// Task restarts a Windows host that needs it, and waits until it is back. It needs it
// when Windows says so, or required does. The host is back when it has started anew,
// whatever its clock says, and ready succeeds.
//
// After the restart Windows must not ask for another, or the task fails. Other tasks
// that work on the host at the same time fail: order them with depends_on.
//
// Outputs:
//   - last_boot: when the host started, in UTC
//   - elapsed: seconds that the restart took, 0 without one
//
// Errors:
//   - it is not ready when the time is over; what it lacked is told
//   - its host key has changed after the restart: that is not tried again
//   - Windows still asks for a restart after it
type Task struct {
	// Required says that a restart is needed, as outputs such as reboot_required of
	// win_feature tell, besides what Windows says.
	Required bool `hcl:"required,optional"`
	// Ready is a script of PowerShell, which changes nothing, that ends with 0 when the
	// restarted host may be used. Default: it answers.
	Ready string `hcl:"ready,optional"`
	// Within is how long the restart may take until the host is ready again, such as
	// "10m". Default "30m": Windows may install parts of itself meanwhile.
	Within string `hcl:"within,optional"`

	elapsed time.Duration
}

// Kind is the module "win_reboot".
func Kind() module.Kind {
	return module.Kind{Name: "win_reboot", OS: []module.OS{module.Windows}, Elsewhere: "reboot",
		New: func() module.Task { return &Task{Within: "30m"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if d, err := time.ParseDuration(t.Within); err != nil || d <= 0 {
		return fmt.Errorf("within is %q, want a duration such as \"10m\"", t.Within)
	}
	return nil
}

// reasons says why the host needs a restart, "" when it does not.
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

// Plan looks whether a restart is needed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	why, err := t.reasons(ctx, h)
	if err != nil || why == "" {
		return nil, err
	}
	return []module.Step{module.NewStep("restart the host, "+why, t.do)}, nil
}

// Unverifiable tells that a restart that the playbook asks for is asked for after it
// too.
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
	within, err := time.ParseDuration(t.Within)
	if err != nil {
		return err
	}
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
	var late *poll.Late
	if errors.As(err, &late) {
		return fmt.Errorf("%s was restarted and is not ready after %s: %s", h.Name(), late.Limit, late.Why)
	}
	return err
}

// ask asks for the restart until that was heard. A host that goes down while it is
// asked is asked again when it is back, and its script does nothing then.
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

// look says what the restarted host still lacks.
func (t *Task) look(ctx context.Context, h module.Host) (done bool, why string, err error) {
	if t.Ready == "" {
		return true, "", nil
	}
	_, err = h.Run(ctx, module.Command{PowerShell: t.Ready})
	return err == nil, "", err
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"last_boot": cty.String, "elapsed": cty.Number}
}

// Outputs reads when the host started.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	boot, err := powershell.LastBoot(ctx, h)
	return map[string]cty.Value{"last_boot": cty.StringVal(boot.Time), "elapsed": cty.NumberFloatVal(t.elapsed.Seconds())}, err
}

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
