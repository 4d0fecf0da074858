// Package command is the module "command": it runs a program on a host.
//
// The program is an argument list, never a line for a shell. Conditions say when
// it needs to run; without one it runs every time and always counts as a change.
package command

import (
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
}

func Kind() module.Kind {
	return module.With[Task, process.Outputs](module.Kind{Name: "command", Elsewhere: "win_command"})
}

func (t *Task) Validate() error {
	if err := t.Check(); err != nil {
		return err
	}
	return t.Task.Check()
}
