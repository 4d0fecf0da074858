package process

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// Task is embedded in the tasks that run a program. It keeps how the last run ended,
// and gives the outputs of it.
type Task struct {
	judged bool // the playbook judges how the program ended
	last   Result
}

// Judge says that the playbook judges by code, stdout and stderr, in place of
// ok_codes and expect.
func (t *Task) Judge() { t.judged = true }

// Run runs the task's program.
func (t *Task) Run(ctx context.Context, h module.Host, p Process) (err error) {
	p.Judged = t.judged
	t.last, err = p.Run(ctx, h)
	return err
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"stdout": cty.String, "stderr": cty.String, "code": cty.Number}
}

// Outputs returns what the last run printed.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return t.last.outputs(), nil
}
