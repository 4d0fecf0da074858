// Package shell is the module "shell": it runs lines in a shell on a host.
//
// The text reaches the shell over a pipe. As an argument it would appear in the list of
// processes, and as a file it could be left behind.
package shell

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs lines in a shell. With several conditions they run only if all of
// them require it. Without creates, removes, unless and only_if they run every time
// and always count as a change.
//
// If the text begins with "set -e", the shell stops at the first line that fails.
// In a pipe only the exit code of the last program counts, unless the shell supports
// "set -o pipefail". Standard input is empty. Put values that others can choose into env,
// not into the text: "$NAME" is used literally, and a space or quote in it does no harm.
//
// Errors:
//   - the shell ended with a code that is not in ok_codes; the error has its last lines
//   - the output does not match expect
//   - only_if still requires the lines after they ran, or creates still does not exist
//   - the shell in executable does not exist on the host (code 127)
type Task struct {
	// Commands is the text for the shell: one line, or several in a heredoc. If its lines
	// end as on Windows, the shell gets them with the line ends of Unix.
	Commands string `hcl:"commands"`
	// Executable is the shell, a name or an absolute path. Every host has the default, the
	// POSIX shell.
	Executable string `hcl:"executable,optional" default:"sh" nonempty:"want a shell such as \"bash\""`
	// Unless is text for the same shell that changes nothing; if it ends with 0,
	// the commands do not run.
	Unless string `hcl:"unless,optional"`
	// OnlyIf is text for the same shell that changes nothing; the commands run only if it
	// ends with 0. It runs again afterwards and must then not end with 0.
	OnlyIf string `hcl:"only_if,optional"`
	process.Task
	process.Detachable
}

func Kind() module.Kind {
	return module.With[Task, process.JobOutputs](module.Kind{Name: "shell", Elsewhere: "win_powershell"})
}

func (t *Task) Validate() error {
	switch {
	case strings.TrimSpace(t.Commands) == "":
		return errors.New("commands is empty, want text for the shell")
	case strings.ContainsRune(t.Commands, 0):
		return errors.New("commands has a NUL character in it, want text")
	}
	if err := t.CheckAsync(); err != nil {
		return err
	}
	return t.Check()
}

func (t *Task) process() process.Process { return t.With(t.script(t.Commands)) }

// script returns the process that runs a text in the task's shell.
func (t *Task) script(text string) process.Process {
	if text == "" {
		return process.Process{}
	}
	p := process.Script([]string{t.Executable}, text)
	p.Shown = t.Executable + ": " + text
	return p
}

func (t *Task) conditions() process.Conditions {
	return t.Conditions(t.script(t.Unless), t.script(t.OnlyIf))
}

// Unverifiable reports whether no condition shows if the commands are still needed.
func (t *Task) Unverifiable() bool { return t.Left() || !t.conditions().Any() }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.Detach(t.Detachable)
	return t.conditions().Plan(ctx, h, "run in "+t.process().Show(h), t.run)
}

func (t *Task) run(ctx context.Context, h module.Host) error { return t.Run(ctx, h, t.process()) }

// Outputs returns those of the last run.
func (t *Task) Outputs(context.Context, module.Host) (process.JobOutputs, error) {
	return t.JobOutputs(), nil
}
