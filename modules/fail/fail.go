// Package fail is the module "fail": it ends a run with a message.
package fail

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
)

// Task fails with a message, always, in a dry run too. It touches no host. Its
// when says in which case; for several conditions with a message each, use assert.
//
// Errors:
//   - the message, whenever the task is reached
type Task struct {
	// Message says what is wrong and what to do.
	Message string `hcl:"message"`
}

// Kind is the module "fail".
func Kind() module.Kind {
	return module.Kind{Name: "fail", Reads: true, OS: []module.OS{module.Linux, module.Windows}, New: func() module.Task { return &Task{} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if strings.TrimSpace(t.Message) == "" {
		return errors.New("message is empty, want what is wrong and what to do")
	}
	return nil
}

// Plan fails.
func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, errors.New(strings.TrimSpace(t.Message))
}

var _ module.Validator = (*Task)(nil)
