// Package command is the module "command": it runs a program on a host.
//
// The program is an argument list, never a line for a shell. Conditions say when
// it needs to run; without one it runs every time and always counts as a change.
package command

import (
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs a program. With several conditions it runs only if all of them require
// it. Without creates, removes, unless, only_if and read_only it runs every
// time and always counts as a change.
//
// Errors:
//   - the program ended with a code that is not in ok_codes; the error has its last lines
//   - its output does not match expect
//   - only_if still requires the program after it ran, or creates still does not exist
type Task struct {
	process.Command
	process.Detachable
}

func Kind() module.Kind {
	return module.With[Task, process.JobOutputs](module.Kind{Name: "command", Elsewhere: "win_command"})
}

func (t *Task) Validate() error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.ReadOnly && t.Async != "" {
		return errors.New("read_only runs the command while planning, want no async beside it")
	}
	if err := t.CheckAsync(); err != nil {
		return err
	}
	return t.Task.Check()
}

// Plan checks the conditions, or runs a command that only reads.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.Detach(t.Detachable)
	return t.Command.Plan(ctx, h)
}

// Unverifiable reports whether nothing shows after the run if the command is still needed.
func (t *Task) Unverifiable() bool { return t.Left() || t.Command.Unverifiable() }

// Outputs returns those of the last run.
func (t *Task) Outputs(context.Context, module.Host) (process.JobOutputs, error) {
	return t.JobOutputs(), nil
}
