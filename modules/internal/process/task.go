package process

import (
	"context"
	"strings"

	"kinit/engine/module"
)

// Task is embedded in the tasks that run a program. It stores the result of the last run,
// and returns its outputs.
type Task struct {
	judged bool // the playbook evaluates the program's result
	last   Result
}

// Judge makes the playbook evaluate code, stdout and stderr, instead of
// ok_codes and expect.
func (t *Task) Judge() { t.judged = true }

// Run runs the task's program.
func (t *Task) Run(ctx context.Context, h module.Host, p Process) (err error) {
	p.Judged = t.judged
	t.last, err = p.Run(ctx, h)
	return err
}

// Outputs are the results of the last run.
type Outputs struct {
	Stdout string `cty:"stdout"` // standard output of the last run; empty if the conditions made it unneeded
	Stderr string `cty:"stderr"` // standard error of the last run; empty if the conditions made it unneeded
	Code   int    `cty:"code"`   // the exit code of the last run; 0 if the conditions made it unneeded
}

// Outputs returns the output of the last run.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Stdout: text(t.last.Stdout), Stderr: text(t.last.Stderr), Code: t.last.Code}, nil
}

// text converts output to a value; HCL accepts only UTF-8.
func text(out string) string { return strings.ToValidUTF8(out, "\uFFFD") }
