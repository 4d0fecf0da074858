// Package script is the module "script": it runs a script of the machine kinit runs on,
// on a host.
//
// The script reaches its interpreter over a pipe, so that nothing of it remains on
// the host, even after a lost connection.
package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/localfile"
	"kinit/modules/internal/process"
)

// Task runs a script of the machine kinit runs on. With several conditions it
// runs only if all of them require it. Without creates, removes, unless and only_if
// it runs every time and always counts as a change.
//
// The host needs only the interpreter: the script is not copied into a
// file. It therefore cannot find other files beside itself, and its standard input
// is empty.
//
// Errors:
//   - source is not a regular file, or does not begin with "#!" and no interpreter is given
//   - the script ended with a code that is not in ok_codes; the error has its last lines
//   - its output does not match expect
//   - only_if still requires the script after it ran, or creates still does not exist
//   - the interpreter does not exist on the host (code 127)
type Task struct {
	// Source is the script, on the machine kinit runs on: a path relative to the folder
	// of the playbook file, as for the function file. If its lines end as on Windows, the
	// interpreter gets them with the line ends of Unix.
	Source string `hcl:"source" nonempty:"want the path of a script"`
	// Args are the script's arguments.
	Args []string `hcl:"args,optional"`
	// Interpreter is the program that reads the script, with its own arguments,
	// such as ["python3", "-u"]. Default: the interpreter in the script's first line, after
	// "#!".
	Interpreter []string `hcl:"interpreter,optional"`
	process.Conditional
	process.Detachable

	files module.LocalFiles // the files that source names
}

func Kind() module.Kind {
	return module.With[Task, process.JobOutputs](module.Kind{Name: "script", Elsewhere: "win_powershell"})
}

// ReadFrom sets the files that source names.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Validate finds mistakes in the arguments; it does not read the script.
func (t *Task) Validate() error {
	if len(t.Interpreter) > 0 && t.Interpreter[0] == "" {
		return errors.New("interpreter has an empty program, want one such as \"python3\"")
	}
	if err := t.CheckAsync(); err != nil {
		return err
	}
	return t.Check()
}

// shebang returns the interpreter in a script's first line. As in Linux, the text after
// the program is one argument.
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

// Plan checks the conditions. An unreadable script is an error even if the
// conditions do not require it.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.Detach(t.Detachable)
	text, err := localfile.Read(t.files, t.Source)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	interpreter := t.Interpreter
	if len(interpreter) == 0 {
		if interpreter, err = shebang(text); err != nil {
			return nil, fmt.Errorf("source: %s: %w", t.Source, err)
		}
	}
	p := t.With(process.Script(interpreter, string(text), t.Args...))
	p.Shown = strings.Join(append([]string{filepath.Base(t.Source)}, t.Args...), " ")
	return t.Given().Plan(ctx, h, "run script "+p.Show(h), func(ctx context.Context, h module.Host) error {
		return t.Run(ctx, h, p)
	})
}

// Unverifiable reports whether nothing shows after the run if the script is still needed.
func (t *Task) Unverifiable() bool { return t.Left() || t.Conditional.Unverifiable() }

// Outputs returns those of the last run.
func (t *Task) Outputs(context.Context, module.Host) (process.JobOutputs, error) {
	return t.JobOutputs(), nil
}
