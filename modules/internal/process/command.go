package process

import (
	"context"
	"errors"

	"kinit/engine/module"
)

// Conditional is embedded in the tasks whose conditions are programs.
type Conditional struct {
	// Unless is a command that changes nothing; if it ends with 0, nothing is run.
	Unless []string `hcl:"unless,optional"`
	// OnlyIf is a command that changes nothing; if it does not end with 0, nothing is run.
	// It runs again afterwards and must then not end with 0.
	OnlyIf []string `hcl:"only_if,optional"`
	Task
}

// Given returns the conditions, which run with the environment and folder of the task.
func (t *Conditional) Given() Conditions {
	return t.Conditions(Process{Argv: t.Unless}, Process{Argv: t.OnlyIf})
}

// Unverifiable reports whether no condition shows if the program is still needed.
func (t *Conditional) Unverifiable() bool { return !t.Given().Any() }

// Command is embedded in the modules command and win_command.
type Command struct {
	// Argv is the program and its arguments. No shell reads them: for a pipe on Linux, name
	// the shell yourself, as in ["sh", "-c", "…"].
	Argv []string `hcl:"argv"`
	// ReadOnly declares that the command changes nothing. It then runs while planning,
	// has outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	// Stdin is the command's standard input; it is never shown.
	Stdin string `hcl:"stdin,optional" log:"-"`
	Conditional
}

// Check finds mistakes in the arguments, apart from those of all programs.
func (t *Command) Check() error {
	if len(t.Argv) == 0 || t.Argv[0] == "" {
		return errors.New("argv is empty, want a program and its arguments")
	}
	return t.Given().CheckReadOnly(t.ReadOnly)
}

func (t *Command) process() Process { return t.With(Process{Argv: t.Argv, Stdin: t.Stdin}) }

// Unverifiable reports whether no condition shows if the command is still needed.
func (t *Command) Unverifiable() bool { return !t.ReadOnly && t.Conditional.Unverifiable() }

// Plan checks the conditions. A read_only command runs here.
func (t *Command) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.ReadOnly {
		return nil, t.do(ctx, h)
	}
	return t.Given().Plan(ctx, h, "run "+t.process().Show(h), t.do)
}

func (t *Command) do(ctx context.Context, h module.Host) error { return t.Run(ctx, h, t.process()) }
