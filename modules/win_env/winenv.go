// Package winenv is the module "win_env": a variable of a Windows host's environment,
// or elements of a list variable such as Path.
package winenv

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

// Task is a variable of a Windows host's environment, or elements of a list variable.
// Other elements of such a list remain.
//
// A program sees a change if its parent started after the change: services after a restart
// of the host or of the service, logins after the next login.
//
// Errors:
//   - name is not a valid variable name
//   - the login may not change the machine's environment
type Task struct {
	// Name is the variable's name, such as "Path".
	Name string `hcl:"name"`
	// Value is the variable's value. "%NAME%" in it stands for another variable.
	Value *string `hcl:"value,optional"`
	// Elements are paths that the variable, a list with semicolons, must contain or, with
	// state = "absent", must not contain. Slashes become backslashes. New ones are added at the
	// end.
	Elements []string `hcl:"elements,optional"`
	// Scope is whose variable it is: that of all programs, or of those of the login.
	Scope string `hcl:"scope,optional" enum:"machine,user" default:"machine"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_env", OS: []module.OS{module.Windows}})
}

func (t *Task) Validate() error {
	for _, element := range t.Elements {
		if strings.TrimSpace(element) == "" || strings.ContainsAny(element, ";\"\n\x00") {
			return fmt.Errorf("elements has %q, want a path without semicolon and quotes", element)
		}
	}
	switch {
	case t.Name == "" || strings.ContainsAny(t.Name, "=\n\x00"):
		return fmt.Errorf("name is %q, want the name of a variable such as \"Path\"", t.Name)
	case t.Value != nil && len(t.Elements) > 0:
		return errors.New("value is the whole variable, want it without elements")
	case !t.Absent() && t.Value == nil && len(t.Elements) == 0:
		return errors.New("nothing is asked for, want value or elements")
	case t.Absent() && t.Value != nil:
		return errors.New("an absent variable has no value, want none with state = \"absent\"")
	case t.Value != nil && strings.ContainsAny(*t.Value, "\n\x00"):
		return errors.New("value has a line break in it, want one line")
	}
	return nil
}

// variable is a variable in the scripts' form.
type variable struct {
	Name  string  `json:"name"`
	Scope string  `json:"scope"`
	Value *string `json:"value"` // nil for none
}

func (t *Task) read(ctx context.Context, h module.Host) (*string, error) {
	v, err := powershell.Read[variable](ctx, h, readScript, variable{Name: t.Name, Scope: t.Scope})
	return v.Value, err
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	want, text := t.decide(have)
	return powershell.OneStep(h.Redact(text), setScript, variable{t.Name, t.Scope, want}), nil
}

// decide returns the wanted value, nil for none, and a description of the change, "" for
// none.
func (t *Task) decide(have *string) (want *string, text string) {
	want = t.Value
	if len(t.Elements) > 0 {
		want = t.list(have)
	}
	switch {
	case have == nil && want == nil, have != nil && want != nil && *have == *want:
		return want, ""
	case want == nil:
		return nil, "remove " + t.Name
	case have == nil:
		return want, fmt.Sprintf("set %s to %q", t.Name, *want)
	case len(t.Elements) > 0 && !t.Absent():
		return want, fmt.Sprintf("add %s to %s", strings.Join(missing(*have, *want), ", "), t.Name)
	case len(t.Elements) > 0:
		return want, fmt.Sprintf("remove %s from %s", strings.Join(missing(*want, *have), ", "), t.Name)
	}
	return want, fmt.Sprintf("change %s from %q to %q", t.Name, *have, *want)
}

// list returns the list with the elements, or without them. A list that already fits is
// not rewritten.
func (t *Task) list(have *string) *string {
	var kept []string
	if have != nil {
		kept = strings.Split(*have, ";")
	}
	if t.Absent() {
		kept = without(kept, t.Elements)
	} else {
		for _, element := range t.Elements {
			if !contains(kept, element) {
				kept = append(without(kept, []string{""}), winpath.Native(element))
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	text := strings.Join(kept, ";")
	return &text
}

type Outputs struct {
	Value string `cty:"value"` // the variable's value, not expanded; empty for none
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := t.read(ctx, h)
	return Outputs{Value: *cmp.Or(have, new(string))}, err
}

// same reports whether two elements are the same path: it ignores case, quotes
// and a backslash at the end.
func same(a, b string) bool { return strings.EqualFold(plain(a), plain(b)) }

func plain(element string) string {
	text := strings.Trim(strings.TrimSpace(winpath.Native(element)), `"`)
	return strings.TrimRight(text, `\`)
}

func contains(list []string, element string) bool {
	return slices.ContainsFunc(list, func(have string) bool { return same(have, element) })
}

// without returns the list without the elements.
func without(list, elements []string) []string {
	var kept []string
	for _, have := range list {
		if !contains(elements, have) {
			kept = append(kept, have)
		}
	}
	return kept
}

// missing lists the elements of the second list that the first lacks.
func missing(first, second string) []string {
	return without(strings.Split(second, ";"), strings.Split(first, ";"))
}
