package process

import (
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Conditions say when a program needs to run. With several of them it does only if
// all ask for it; without one it always does.
type Conditions struct {
	Creates string  // a path: while it is there, nothing is to do
	Removes string  // a path: while it is not there, nothing is to do
	Unless  Process // when it ends with 0, nothing is to do
	OnlyIf  Process // unless it ends with 0, nothing is to do
}

// Any tells whether there is a condition.
func (c Conditions) Any() bool {
	return c.Creates != "" || c.Removes != "" || c.Unless.given() || c.OnlyIf.given()
}

// CheckReadOnly returns the mistake of conditions beside an argument read_only.
func (c Conditions) CheckReadOnly(readOnly bool) error {
	if readOnly && c.Any() {
		return errors.New("read_only runs the command every time, want no creates, removes, unless or only_if beside it")
	}
	return nil
}

// Plan is the step that runs a task's program, where the conditions ask for it.
func (c Conditions) Plan(ctx context.Context, h module.Host, text string, run func(context.Context, module.Host) error) ([]module.Step, error) {
	needed, err := c.Ask(ctx, h)
	if err != nil || !needed {
		return nil, err
	}
	return []module.Step{module.NewStep(text, run)}, nil
}

// Ask asks the conditions in turn until one says that nothing is to do.
func (c Conditions) Ask(ctx context.Context, h module.Host) (needed bool, err error) {
	if c.Creates != "" {
		there, err := hostfile.Exists(ctx, h, c.Creates)
		if err != nil || there {
			return false, err
		}
	}
	if c.Removes != "" {
		there, err := hostfile.Exists(ctx, h, c.Removes)
		if err != nil || !there {
			return false, err
		}
	}
	if c.Unless.given() {
		yes, err := c.Unless.succeeds(ctx, h)
		if err != nil || yes {
			return false, err
		}
	}
	if c.OnlyIf.given() {
		return c.OnlyIf.succeeds(ctx, h)
	}
	return true, ctx.Err()
}
