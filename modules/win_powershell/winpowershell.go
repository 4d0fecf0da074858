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
// if all of them require it. Without creates, removes, unless, only_if and read_only it
// runs every time and always counts as a change.
//
// The script stops at the first error. Its exit code is that of "exit", 1 if it
// throws, else that of the last program it ran. Pass values by arguments and not by
// templates: the host's logs contain the script's text.
//
// Errors:
//   - the script threw, or ended with a code that is not in ok_codes; the error has its last
//     lines
//   - its output does not match expect
//   - only_if still requires the script after it ran, or creates still does not exist
type Task struct {
	// Script is the text. It runs as a script block, so it may begin with param, using or begin.
	Script string `hcl:"script"`
	// Arguments are values of any type, which the script, unless and only_if read from the
	// variable $Arguments, as in $Arguments.name. They reach the host by the script's
	// input, so that no list of processes and no log shows them.
	Arguments cty.Value `hcl:"arguments,optional" log:"-"`
	// Unless is a script that changes nothing; if it ends with 0, the task's script does not run.
	Unless string `hcl:"unless,optional"`
	// OnlyIf is a script that changes nothing; the task's script runs only if it ends with 0.
	// It runs again afterwards and must then not end with 0.
	OnlyIf string `hcl:"only_if,optional"`
	// ReadOnly declares that the script changes nothing. It then runs while planning, has
	// outputs and never counts as a change.
	ReadOnly bool `hcl:"read_only,optional"`
	process.Task
}

func Kind() module.Kind {
	return module.With[Task, process.Outputs](module.Kind{Name: "win_powershell", OS: []module.OS{module.Windows}, Elsewhere: "shell"})
}

func (t *Task) Validate() error {
	switch {
	case strings.TrimSpace(t.Script) == "":
		return errors.New("script is empty, want text for PowerShell")
	case !render.IsObject(t.Arguments):
		return errors.New("arguments is no object, want { name = value … }")
	}
	if err := checkNames(t.Arguments); err != nil {
		return err
	}
	if err := t.given().CheckReadOnly(t.ReadOnly); err != nil {
		return err
	}
	return t.CheckWindows()
}

// checkNames returns an error for names that PowerShell cannot tell apart or does not accept in JSON.
func checkNames(arguments cty.Value) error {
	plain, _ := arguments.UnmarkDeep()
	return cty.Walk(plain, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() && !v.Type().IsMapType() {
			return true, nil
		}
		seen := map[string]string{}
		for name := range v.AsValueMap() {
			lower := strings.ToLower(name)
			if name == "" {
				return false, errors.New("arguments has an empty name, which PowerShell cannot read")
			}
			if other, ok := seen[lower]; ok {
				return false, fmt.Errorf("arguments has the names %q and %q, which are the same to PowerShell", min(name, other), max(name, other))
			}
			seen[lower] = name
		}
		return true, nil
	})
}

// given returns the conditions without the values of their scripts.
func (t *Task) given() process.Conditions {
	return t.Conditions(process.Process{PowerShell: t.Unless}, process.Process{PowerShell: t.OnlyIf})
}

// script returns the process for a text; none for an empty text.
func (t *Task) script(text string) (process.Process, error) {
	if text == "" {
		return process.Process{}, nil
	}
	p := process.Process{PowerShell: text, Shown: "PowerShell: " + text}
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
	return t.With(p), err
}

func (t *Task) conditions() (process.Conditions, error) {
	unless, err := t.script(t.Unless)
	if err != nil {
		return process.Conditions{}, err
	}
	onlyIf, err := t.script(t.OnlyIf)
	return t.Conditions(unless, onlyIf), err
}

// Unverifiable reports whether no condition shows if the script is still needed.
func (t *Task) Unverifiable() bool { return !t.ReadOnly && !t.given().Any() }

// Plan checks the conditions. A read_only script runs here.
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
	return t.Run(ctx, h, p)
}
