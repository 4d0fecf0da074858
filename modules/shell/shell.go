// Package shell is the module "shell": lines for a shell, on a host.
//
// The text reaches the shell over a pipe. It is neither an argument, which the list
// of processes would show, nor a file, which could be left behind.
package shell

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs lines in a shell. With several conditions they run only if all of
// them ask for it. Without creates, removes, unless and only_if they run every time
// and always count as a change.
//
// The shell stops at the first line that fails where the text begins with "set -e".
// In a pipe only the last program counts, unless the shell knows "set -o pipefail".
// Standard input is empty. A value that others could choose belongs into env, not
// into the text: "$NAME" is taken as it is, and a space or quote in it does no harm.
//
// Outputs:
//   - stdout: what the last run printed; empty where the conditions made it unneeded
//   - stderr: what the last run printed to standard error, likewise
//   - code: the exit code of the last run; 0 where the conditions made it unneeded
//
// Errors:
//   - the shell ended with a code that is not in ok_codes; its last lines are told
//   - the output does not contain what expect asks for
//   - only_if still asks for the lines after they ran, or creates is still not there
//   - the shell that executable names is not on the host (code 127)
type Task struct {
	// Commands is the text for the shell: one line, or several in a heredoc.
	Commands string `hcl:"commands"`
	// Executable is the shell, a name or an absolute path. Default "sh", the POSIX
	// shell of every host.
	Executable string `hcl:"executable,optional"`
	// Creates is a path the commands make. While it is there, nothing is to do.
	Creates string `hcl:"creates,optional"`
	// Removes is a path the commands remove. While it is not there, nothing is to do.
	Removes string `hcl:"removes,optional"`
	// Unless is text for the same shell that changes nothing; when it ends with 0,
	// nothing is to do.
	Unless string `hcl:"unless,optional"`
	// OnlyIf is text for the same shell that changes nothing; unless it ends with 0,
	// nothing is to do. It is asked again afterwards and must no longer ask for it.
	OnlyIf string `hcl:"only_if,optional"`
	// Env is added to the shell's environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, an absolute path; the login's home folder when
	// empty.
	Dir string `hcl:"dir,optional"`
	// OKCodes are the exit codes that mean success.
	OKCodes []int `hcl:"ok_codes,optional"`
	// Expect is a text or regular expression that standard output must contain.
	Expect string `hcl:"expect,optional"`

	process.Outcome
}

// Kind is the module "shell".
func Kind() module.Kind {
	return module.Kind{Name: "shell", Elsewhere: "win_powershell", New: func() module.Task {
		return &Task{Executable: "sh", OKCodes: []int{0}}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case strings.TrimSpace(t.Commands) == "":
		return errors.New("commands is empty, want text for the shell")
	case strings.ContainsRune(t.Commands, 0):
		return errors.New("commands has a NUL character in it, want text")
	case t.Executable == "":
		return errors.New("executable is empty, want a shell such as \"bash\"")
	}
	return t.process().Validate()
}

func (t *Task) process() process.Process {
	p := t.script(t.Commands)
	p.OKCodes, p.Expect = t.OKCodes, t.Expect
	return p
}

// script is a text in the task's shell and surroundings.
func (t *Task) script(text string) process.Process {
	if text == "" {
		return process.Process{}
	}
	p := process.Script([]string{t.Executable}, text)
	p.Env, p.Dir, p.Shown = t.Env, t.Dir, t.Executable+": "+text
	return p
}

func (t *Task) conditions() process.Conditions {
	return process.Conditions{Creates: t.Creates, Removes: t.Removes, Unless: t.script(t.Unless), OnlyIf: t.script(t.OnlyIf)}
}

// Unverifiable tells that nothing says whether the commands are still needed.
func (t *Task) Unverifiable() bool { return !t.conditions().Any() }

// Plan asks the conditions.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.conditions().Plan(ctx, h, "run in "+t.process().Show(h), t.run)
}

func (t *Task) run(ctx context.Context, h module.Host) error { return t.Keep(ctx, h, t.process()) }

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
