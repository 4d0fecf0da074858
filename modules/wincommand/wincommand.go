// Package wincommand is the module "win_command": it runs a program on a Windows host.
//
// The program is an argument list, never a line for a shell. Conditions say when it
// needs to run; without one it runs every time and always counts as a change.
package wincommand

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs a program on a Windows host. With several conditions it runs only if all
// of them ask for it. Without creates, removes, unless, only_if and read_only it runs
// every time and always counts as a change.
//
// Arguments reach the program as they are, with quotes and blanks in them. Programs
// that take their command line apart themselves, as cmd.exe and msiexec.exe do, have
// rules of their own: use win_powershell and win_package. The program has the rights
// of an administrator and no window; some installers need a task of the system, which
// win_package makes.
//
// Outputs:
//   - stdout: what the last run printed; empty where the conditions made it unneeded
//   - stderr: what the last run printed to standard error, likewise
//   - code: the exit code of the last run; 0 where the conditions made it unneeded
//
// Errors:
//   - the program ended with a code that is not in ok_codes; its last lines are told
//   - its output does not contain what expect asks for
//   - only_if still asks for the program after it ran, or creates is still not there
type Task struct {
	// Argv is the program and its arguments, such as ["C:/k/kubeadm.exe", "version"].
	Argv []string `hcl:"argv"`
	// Creates is a path the command makes. While it is there, nothing is to do.
	Creates string `hcl:"creates,optional"`
	// Removes is a path the command removes. While it is not there, nothing is to do.
	Removes string `hcl:"removes,optional"`
	// Unless is a command that changes nothing; when it ends with 0, nothing is to do.
	Unless []string `hcl:"unless,optional"`
	// OnlyIf is a command that changes nothing; unless it ends with 0, nothing is to
	// do. It is asked again afterwards and must no longer ask for the command.
	OnlyIf []string `hcl:"only_if,optional"`
	// ReadOnly says that the command changes nothing. It then runs while planning,
	// gives outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	// Env is added to the command's environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, such as "C:/k"; the login's home folder when empty.
	Dir string `hcl:"dir,optional"`
	// Stdin is the command's standard input; it is never shown.
	Stdin string `hcl:"stdin,optional" log:"-"`
	// OKCodes are the exit codes that mean success. Default [0].
	OKCodes []int `hcl:"ok_codes,optional"`
	// Expect is a text or regular expression that standard output must contain. With
	// the task's retry the command runs again until it does.
	Expect string `hcl:"expect,optional"`

	process.Judged
}

// Kind is the module "win_command".
func Kind() module.Kind {
	return module.Kind{Name: "win_command", OS: []module.OS{module.Windows}, Elsewhere: "command",
		New: func() module.Task { return &Task{OKCodes: []int{0}} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := process.CheckArgv(t.Argv); err != nil {
		return err
	}
	if err := t.conditions().CheckReadOnly(t.ReadOnly); err != nil {
		return err
	}
	return t.process().ValidateWindows(t.conditions())
}

func (t *Task) process() process.Process {
	return process.Process{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Stdin: t.Stdin, OKCodes: t.OKCodes, Expect: t.Expect}
}

// conditions run in the command's own surroundings.
func (t *Task) conditions() process.Conditions {
	return process.Conditions{
		Creates: t.Creates, Removes: t.Removes,
		Unless: process.Process{Argv: t.Unless, Env: t.Env, Dir: t.Dir},
		OnlyIf: process.Process{Argv: t.OnlyIf, Env: t.Env, Dir: t.Dir},
	}
}

// Unverifiable tells that nothing says whether the command is still needed.
func (t *Task) Unverifiable() bool { return !t.ReadOnly && !t.conditions().Any() }

// Plan asks the conditions. A read_only command runs here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.ReadOnly {
		return nil, t.run(ctx, h)
	}
	return t.conditions().Plan(ctx, h, "run "+t.process().Show(h), t.run)
}

func (t *Task) run(ctx context.Context, h module.Host) error { return t.Keep(ctx, h, t.process()) }

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
	_ module.Judged       = (*Task)(nil)
)
