// Package winpowershell is the module "win_powershell": it runs a script of Windows
// PowerShell on a Windows host.
package winpowershell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/process"
	"kinit/modules/internal/render"
)

// Task runs a script of Windows PowerShell 5.1. With several conditions it runs only
// if all of them ask for it. Without creates, removes, unless, only_if and read_only it
// runs every time and always counts as a change.
//
// The script stops at the first error. Its exit code is that of "exit", 1 when it
// throws, else that of the last program it ran. Give it values by arguments and not by
// templates: what is in a script's text stands in the host's logs.
//
// Outputs:
//   - stdout: what the last run printed; empty where the conditions made it unneeded
//   - stderr: what the last run printed to standard error, likewise
//   - code: the exit code of the last run; 0 where the conditions made it unneeded
//
// Errors:
//   - the script threw, or ended with a code that is not in ok_codes; its last lines
//     are told
//   - its output does not contain what expect asks for
//   - only_if still asks for the script after it ran, or creates is still not there
type Task struct {
	// Script is the text. With arguments it begins without a param block.
	Script string `hcl:"script"`
	// Arguments are values of any type that the script, unless and only_if find in the
	// variable $Arguments, as in $Arguments.name. They reach the host by the script's
	// input, so that no list of processes and no log shows them.
	Arguments cty.Value `hcl:"arguments,optional" log:"-"`
	// Creates is a path the script makes. While it is there, nothing is to do.
	Creates string `hcl:"creates,optional"`
	// Removes is a path the script removes. While it is not there, nothing is to do.
	Removes string `hcl:"removes,optional"`
	// Unless is a script that changes nothing; when it ends with 0, nothing is to do.
	Unless string `hcl:"unless,optional"`
	// OnlyIf is a script that changes nothing; unless it ends with 0, nothing is to do.
	// It is asked again afterwards and must no longer ask for the script.
	OnlyIf string `hcl:"only_if,optional"`
	// ReadOnly says that the script changes nothing. It then runs while planning, gives
	// outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	// Env is added to the script's environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, such as "C:/k"; the login's home folder when empty.
	Dir string `hcl:"dir,optional"`
	// OKCodes are the exit codes that mean success. Default [0].
	OKCodes []int `hcl:"ok_codes,optional"`
	// Expect is a text or regular expression that standard output must contain. With
	// the task's retry the script runs again until it does.
	Expect string `hcl:"expect,optional"`

	process.Judged
}

// Kind is the module "win_powershell".
func Kind() module.Kind {
	return module.Kind{Name: "win_powershell", OS: []module.OS{module.Windows}, Elsewhere: "shell",
		New: func() module.Task { return &Task{OKCodes: []int{0}} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case strings.TrimSpace(t.Script) == "":
		return errors.New("script is empty, want text for PowerShell")
	case !render.IsObject(t.Arguments):
		return errors.New("arguments is no object, want { name = value … }")
	}
	conditions := process.Conditions{Creates: t.Creates, Removes: t.Removes,
		Unless: process.Process{PowerShell: t.Unless}, OnlyIf: process.Process{PowerShell: t.OnlyIf}}
	if err := conditions.CheckReadOnly(t.ReadOnly); err != nil {
		return err
	}
	return process.Process{Dir: t.Dir, OKCodes: t.OKCodes}.ValidateWindows(conditions)
}

// script is a text in the task's surroundings; none for an empty text.
func (t *Task) script(text string) (process.Process, error) {
	if text == "" {
		return process.Process{}, nil
	}
	p := process.Process{PowerShell: text, Shown: "PowerShell: " + text, Env: t.Env, Dir: t.Dir}
	if t.Arguments == cty.NilVal || t.Arguments.IsNull() {
		return p, nil
	}
	plain, _ := t.Arguments.UnmarkDeep()
	encoded, err := ctyjson.Marshal(plain, plain.Type())
	if err != nil {
		return p, fmt.Errorf("arguments: %w", err)
	}
	p.PowerShell, p.Stdin, err = powershell.WithArguments(text, json.RawMessage(encoded))
	return p, err
}

func (t *Task) process() (process.Process, error) {
	p, err := t.script(t.Script)
	p.OKCodes, p.Expect = t.OKCodes, t.Expect
	return p, err
}

func (t *Task) conditions() (process.Conditions, error) {
	c := process.Conditions{Creates: t.Creates, Removes: t.Removes}
	var err error
	if c.Unless, err = t.script(t.Unless); err != nil {
		return c, err
	}
	c.OnlyIf, err = t.script(t.OnlyIf)
	return c, err
}

// Unverifiable tells that nothing says whether the script is still needed.
func (t *Task) Unverifiable() bool {
	return !t.ReadOnly && t.Creates == "" && t.Removes == "" && t.Unless == "" && t.OnlyIf == ""
}

// Plan asks the conditions. A read_only script runs here.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	p, err := t.process()
	if err != nil {
		return nil, err
	}
	if t.ReadOnly {
		return nil, t.run(ctx, h)
	}
	conditions, err := t.conditions()
	if err != nil {
		return nil, err
	}
	return conditions.Plan(ctx, h, "run in "+p.Show(h), t.run)
}

func (t *Task) run(ctx context.Context, h module.Host) error {
	p, err := t.process()
	if err != nil {
		return err
	}
	return t.Keep(ctx, h, p)
}

var (
	_ module.Outputter    = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
	_ module.Unverifiable = (*Task)(nil)
	_ module.Judged       = (*Task)(nil)
)
