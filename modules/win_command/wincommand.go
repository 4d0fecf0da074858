// Package wincommand is the module "win_command": it runs a program on a Windows host.
//
// The program is an argument list, never a line for a shell. Conditions say when it
// needs to run; without one it runs every time and always counts as a change.
package wincommand

import (
	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs a program on a Windows host. With several conditions it runs only if all
// of them require it. Without creates, removes, unless, only_if and read_only it runs
// every time and always counts as a change.
//
// Arguments reach the program unchanged, including quotes and blanks. Programs
// that parse their command line themselves, as cmd.exe and msiexec.exe do, have
// their own rules: use win_powershell and win_package. The program has the rights
// of an administrator and no window; some installers need a task of the system, which
// win_package makes.
//
// Errors:
//   - the program ended with a code that is not in ok_codes; the error has its last lines
//   - its output does not match expect
//   - only_if still requires the program after it ran, or creates still does not exist
type Task struct {
	process.Command
}

func Kind() module.Kind {
	return module.With[Task, process.Outputs](module.Kind{Name: "win_command", OS: []module.OS{module.Windows}, Elsewhere: "command"})
}

func (t *Task) Validate() error {
	if err := t.Check(); err != nil {
		return err
	}
	return t.CheckWindows()
}
