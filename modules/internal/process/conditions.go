package process

import (
	"context"

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
	return c.Creates != "" || c.Removes != "" || len(c.Unless.Argv) > 0 || len(c.OnlyIf.Argv) > 0
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
	if len(c.Unless.Argv) > 0 {
		yes, err := c.Unless.succeeds(ctx, h)
		if err != nil || yes {
			return false, err
		}
	}
	if len(c.OnlyIf.Argv) > 0 {
		return c.OnlyIf.succeeds(ctx, h)
	}
	return true, ctx.Err()
}
