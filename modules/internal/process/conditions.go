package process

import (
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Conditions decide whether a program runs. With several of them it runs only if
// all require it; without one it always runs.
type Conditions struct {
	Creates string  // a path: if it exists, there is nothing to do
	Removes string  // a path: if it does not exist, there is nothing to do
	Unless  Process // if it ends with 0, there is nothing to do
	OnlyIf  Process // if it does not end with 0, there is nothing to do
}

// Any reports whether there is a condition.
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

// Plan returns the step that runs a task's program, if the conditions require it.
func (c Conditions) Plan(ctx context.Context, h module.Host, text string, run func(context.Context, module.Host) error) ([]module.Step, error) {
	needed, err := c.Ask(ctx, h)
	if err != nil || !needed {
		return nil, err
	}
	return module.OneStep(text, run), nil
}

// Ask checks the conditions in turn until one shows that there is nothing to do.
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
