// Package fail is the module "fail": it ends a run with a message.
package fail

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
)

// Task always fails with a message, also in a dry run. It touches no host. Use when for a
// condition; for several conditions with a message each, use assert.
//
// Errors:
//   - the message, whenever the task runs
type Task struct {
	// Message describes the mistake and its remedy.
	Message string `hcl:"message"`
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "fail", Reads: true, OS: []module.OS{module.Linux, module.Windows}})
}

func (t *Task) Validate() error {
	if strings.TrimSpace(t.Message) == "" {
		return errors.New("message is empty, want what is wrong and what to do")
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, errors.New(strings.TrimSpace(t.Message))
}
