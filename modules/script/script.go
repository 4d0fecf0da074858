// Package script is the module "script": a script of the machine kinit runs on,
// run on a host.
//
// The script reaches its interpreter over a pipe, so that nothing of it is left on
// the host, not even after a connection that was lost.
package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/process"
)

// Task runs a script of the machine kinit runs on. With several conditions it
// runs only if all of them ask for it. Without creates, removes, unless and only_if
// it runs every time and always counts as a change.
//
// The host needs the interpreter and nothing else: the script is not copied into a
// file. It therefore cannot find other files beside itself, and its standard input
// is empty.
//
// Outputs:
//   - stdout: what the last run printed; empty where the conditions made it unneeded
//   - stderr: what the last run printed to standard error, likewise
//   - code: the exit code of the last run; 0 where the conditions made it unneeded
//
// Errors:
//   - source is no regular file, or does not begin with "#!" and no interpreter is given
//   - the script ended with a code that is not in ok_codes; its last lines are told
//   - its output does not contain what expect asks for
//   - only_if still asks for the script after it ran, or creates is still not there
//   - the interpreter is not on the host (code 127)
type Task struct {
	// Source is the path of the script on the machine kinit runs on.
	Source string `hcl:"source"`
	// Args are the script's arguments.
	Args []string `hcl:"args,optional"`
	// Interpreter is the program that reads the script, with its own arguments,
	// such as ["python3", "-u"]. Default: what the script's first line says after
	// "#!".
	Interpreter []string `hcl:"interpreter,optional"`
	// Creates is a path the script makes. While it is there, nothing is to do.
	Creates string `hcl:"creates,optional"`
	// Removes is a path the script removes. While it is not there, nothing is to do.
	Removes string `hcl:"removes,optional"`
	// Unless is a command that changes nothing; when it ends with 0, nothing is to
	// do.
	Unless []string `hcl:"unless,optional"`
	// OnlyIf is a command that changes nothing; unless it ends with 0, nothing is to
	// do. It is asked again afterwards and must no longer ask for the script.
	OnlyIf []string `hcl:"only_if,optional"`
	// Env is added to the script's environment.
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

// Kind is the module "script".
func Kind() module.Kind {
	return module.Kind{Name: "script", Elsewhere: "win_powershell", New: func() module.Task { return &Task{OKCodes: []int{0}} }}
}

// Validate finds mistakes in the arguments; it does not read the script.
func (t *Task) Validate() error {
	switch {
	case t.Source == "":
		return errors.New("source is empty, want the path of a script")
	case len(t.Interpreter) > 0 && t.Interpreter[0] == "":
		return errors.New("interpreter has an empty program, want one such as \"python3\"")
	}
	return t.surroundings().Validate()
}

// surroundings is the process but for the script.
func (t *Task) surroundings() process.Process {
	return process.Process{Env: t.Env, Dir: t.Dir, OKCodes: t.OKCodes, Expect: t.Expect}
}

// process reads the script.
func (t *Task) process() (process.Process, error) {
	text, err := os.ReadFile(t.Source)
	if err != nil {
		return process.Process{}, fmt.Errorf("source: %w", err)
	}
	interpreter := t.Interpreter
	if len(interpreter) == 0 {
		if interpreter, err = shebang(text); err != nil {
			return process.Process{}, fmt.Errorf("source %s: %w", t.Source, err)
		}
	}
	p, run := t.surroundings(), process.Script(interpreter, string(text), t.Args...)
	p.Argv, p.Stdin = run.Argv, run.Stdin
	p.Shown = strings.Join(append([]string{filepath.Base(t.Source)}, t.Args...), " ")
	return p, nil
}

// shebang is the interpreter that a script's first line names. As in Linux, what
// follows the program is one argument.
func shebang(text []byte) ([]string, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	after, ok := strings.CutPrefix(string(line), "#!")
	program, argument, _ := strings.Cut(strings.TrimSpace(after), " ")
	if !ok || program == "" {
		return nil, errors.New("it does not begin with #! and an interpreter: give interpreter")
	}
	if argument = strings.TrimSpace(argument); argument == "" {
		return []string{program}, nil
	}
	return []string{program, argument}, nil
}

func (t *Task) conditions() process.Conditions {
	return process.Conditions{
		Creates: t.Creates, Removes: t.Removes,
		Unless: process.Process{Argv: t.Unless, Env: t.Env, Dir: t.Dir},
		OnlyIf: process.Process{Argv: t.OnlyIf, Env: t.Env, Dir: t.Dir},
	}
}

// Unverifiable tells that nothing says whether the script is still needed.
func (t *Task) Unverifiable() bool { return !t.conditions().Any() }

// Plan asks the conditions. A script that cannot be read is an error even where
// they would not ask for it.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	p, err := t.process()
	if err != nil {
		return nil, err
	}
	return t.conditions().Plan(ctx, h, "run script "+p.Show(h), func(ctx context.Context, h module.Host) error {
		return t.Keep(ctx, h, p)
	})
}

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
