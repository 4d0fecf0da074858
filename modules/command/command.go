// Package command is the module "command": it runs a program on a host.
//
// The program is an argument list, never a line for a shell. Conditions say when
// it needs to run; without one it runs every time and always counts as a change.
package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
)

// Task runs a program. With several conditions it runs only if all of them ask
// for it.
//
// Outputs: stdout (string), stderr (string), code (number). They are of the last
// run; where the conditions made it unneeded, the texts are empty and the code
// is 0.
type Task struct {
	// Argv is the program and its arguments. No shell reads them: for a pipe, name
	// the shell yourself, as in ["sh", "-c", "…"].
	Argv []string `hcl:"argv"`
	// Creates is a path the command makes. While it is there, nothing is to do.
	Creates string `hcl:"creates,optional"`
	// Removes is a path the command removes. While it is not there, nothing is to
	// do.
	Removes string `hcl:"removes,optional"`
	// Unless is a command that changes nothing; when it ends with 0, nothing is to
	// do.
	Unless []string `hcl:"unless,optional"`
	// OnlyIf is a command that changes nothing; unless it ends with 0, nothing is
	// to do. It is asked again afterwards and must no longer ask for the command.
	OnlyIf []string `hcl:"only_if,optional"`
	// ReadOnly says that the command changes nothing. It then runs while planning,
	// gives outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	// Env is added to the command's environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, an absolute path; the login's home folder when
	// empty.
	Dir string `hcl:"dir,optional"`
	// Stdin is the command's standard input; it is never shown.
	Stdin string `hcl:"stdin,optional" log:"-"`
	// OKCodes are the exit codes that mean success. Default [0].
	OKCodes []int `hcl:"ok_codes,optional"`
	// Expect is a text or regular expression that standard output must contain.
	// With the task's retry the command runs again until it does.
	Expect string `hcl:"expect,optional"`

	result result
}

// result is what the last run printed and ended with.
type result struct {
	stdout, stderr string
	code           int
}

// Kind is the module "command".
func Kind() module.Kind {
	return module.Kind{Name: "command", New: func() module.Task { return &Task{OKCodes: []int{0}} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case len(t.Argv) == 0 || t.Argv[0] == "":
		return errors.New("argv is empty, want a program and its arguments")
	case len(t.OKCodes) == 0:
		return errors.New("ok_codes is empty, want at least one exit code")
	case t.Dir != "" && !strings.HasPrefix(t.Dir, "/"):
		return fmt.Errorf("dir is %q, want an absolute path", t.Dir)
	case t.ReadOnly && t.conditional():
		return errors.New("read_only runs the command every time, want no creates, removes, unless or only_if beside it")
	}
	return nil
}

func (t *Task) conditional() bool {
	return t.Creates != "" || t.Removes != "" || len(t.Unless) > 0 || len(t.OnlyIf) > 0
}

// Unverifiable tells that nothing says whether the command is still needed.
func (t *Task) Unverifiable() bool { return !t.ReadOnly && !t.conditional() }

// Plan asks the conditions. A read_only command runs here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.ReadOnly {
		return nil, t.run(ctx, h)
	}
	needed, err := t.needed(ctx, h)
	if err != nil || !needed {
		return nil, err
	}
	return []module.Step{module.NewStep("run "+cmdtext.Show(h, t.Argv), t.run)}, nil
}

// needed asks the conditions in turn until one says that nothing is to do.
func (t *Task) needed(ctx context.Context, h module.Host) (bool, error) {
	if t.Creates != "" {
		there, err := exists(ctx, h, t.Creates)
		if err != nil || there {
			return false, err
		}
	}
	if t.Removes != "" {
		there, err := exists(ctx, h, t.Removes)
		if err != nil || !there {
			return false, err
		}
	}
	if len(t.Unless) > 0 {
		yes, err := t.succeeds(ctx, h, t.Unless)
		if err != nil || yes {
			return false, err
		}
	}
	if len(t.OnlyIf) > 0 {
		return t.succeeds(ctx, h, t.OnlyIf)
	}
	return true, ctx.Err()
}

func exists(ctx context.Context, h module.Host, path string) (bool, error) {
	_, err := h.Files().Stat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// succeeds runs a condition in the command's own surroundings.
func (t *Task) succeeds(ctx context.Context, h module.Host, argv []string) (bool, error) {
	_, err := h.Run(ctx, module.Command{Argv: argv, Env: t.Env, Dir: t.Dir})
	if exit := (*module.ExitError)(nil); errors.As(err, &exit) {
		return false, nil
	}
	return err == nil, err
}

// run runs the command and judges how it ended.
func (t *Task) run(ctx context.Context, h module.Host) error {
	c := module.Command{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Line: cmdtext.Progress(h)}
	if t.Stdin != "" {
		c.Stdin = strings.NewReader(t.Stdin)
	}
	out, err := h.Run(ctx, c)
	t.result = result{stdout: out.Stdout, stderr: out.Stderr}
	if exit := (*module.ExitError)(nil); errors.As(err, &exit) {
		t.result.code = exit.Code
	} else if err != nil {
		return err
	}
	if !slices.Contains(t.OKCodes, t.result.code) {
		return t.badCode(h, err)
	}
	return t.expected(h)
}

// badCode is the error of a code that is not in ok_codes, which may be 0.
func (t *Task) badCode(h module.Host, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("command ended with code 0, want one of %v: %s", t.OKCodes, cmdtext.Show(h, t.Argv))
}

// expected checks standard output.
func (t *Task) expected(h module.Host) error {
	if t.Expect == "" || cmdtext.Matches(t.Expect, t.result.stdout) {
		return nil
	}
	return fmt.Errorf("output of %s does not contain %q; it ends with:\n%s",
		cmdtext.Show(h, t.Argv), t.Expect, h.Redact(module.Tail(t.result.stdout, 10)))
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"stdout": cty.String, "stderr": cty.String, "code": cty.Number}
}

// Outputs returns what the last run printed.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{
		"stdout": text(t.result.stdout),
		"stderr": text(t.result.stderr),
		"code":   cty.NumberIntVal(int64(t.result.code)),
	}, nil
}

// text is output as a value; HCL knows no bytes that are not UTF-8.
func text(out string) cty.Value { return cty.StringVal(strings.ToValidUTF8(out, "\uFFFD")) }

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
)
