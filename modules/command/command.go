// Package command is the module "command": it runs a program on a host.
//
// The program is an argument list, never a line for a shell. Conditions say when
// it needs to run; without one it runs every time and always counts as a change.
package command

import (
	"context"

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
	// Argv is the program and its arguments. No shell reads them: for a pipe, name
	// the shell yourself, as in ["sh", "-c", "…"].
	Argv []string `hcl:"argv"`
	// Creates is a path that the command makes. If it exists, the command does not run.
	Creates string `hcl:"creates,optional"`
	// Removes is a path that the command removes. If it does not exist, the command does not
	// run.
	Removes string `hcl:"removes,optional"`
	// Unless is a command that changes nothing; if it ends with 0, the program does not
	// run.
	Unless []string `hcl:"unless,optional"`
	// OnlyIf is a command that changes nothing; the program runs only if it ends with 0.
	// It runs again afterwards and must then not end with 0.
	OnlyIf []string `hcl:"only_if,optional"`
	// ReadOnly declares that the command changes nothing. It then runs while planning,
	// has outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	// Env is added to the command's environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, an absolute path. Default: the login's home folder.
	Dir string `hcl:"dir,optional"`
	// Stdin is the command's standard input; it is never shown.
	Stdin string `hcl:"stdin,optional" log:"-"`
	// OKCodes are the exit codes that mean success. Default [0].
	OKCodes []int `hcl:"ok_codes,optional" default:"0"`
	// Expect is a text or regular expression that standard output must contain.
	// With the task's retry the command runs again until it does.
	Expect string `hcl:"expect,optional"`

	process.Task
}

// Kind is the module "command".
func Kind() module.Kind {
	return module.With[Task, process.Outputs](module.Kind{Name: "command", Elsewhere: "win_command"})
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := process.CheckArgv(t.Argv); err != nil {
		return err
	}
	if err := t.conditions().CheckReadOnly(t.ReadOnly); err != nil {
		return err
	}
	return t.process().Validate()
}

func (t *Task) process() process.Process {
	return process.Process{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Stdin: t.Stdin, OKCodes: t.OKCodes, Expect: t.Expect}
}

// conditions returns the conditions, which run with the command's environment and folder.
func (t *Task) conditions() process.Conditions {
	return process.Conditions{
		Creates: t.Creates, Removes: t.Removes,
		Unless: process.Process{Argv: t.Unless, Env: t.Env, Dir: t.Dir},
		OnlyIf: process.Process{Argv: t.OnlyIf, Env: t.Env, Dir: t.Dir},
	}
}

// Unverifiable reports whether no condition shows if the command is still needed.
func (t *Task) Unverifiable() bool { return !t.ReadOnly && !t.conditions().Any() }

// Plan checks the conditions. A read_only command runs here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.ReadOnly {
		return nil, t.run(ctx, h)
	}
	return t.conditions().Plan(ctx, h, "run "+t.process().Show(h), t.run)
}

func (t *Task) run(ctx context.Context, h module.Host) error { return t.Run(ctx, h, t.process()) }
