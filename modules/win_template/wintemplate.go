// Package wintemplate is the module "win_template": a file of a Windows host whose
// content is a text with HCL template syntax, filled with values.
package wintemplate

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/render"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/wincontent"
)

// Task is a file of a Windows host made from a template. The template's language and
// functions are those of the module template; otherwise it works like the module win_copy.
//
// Errors:
//   - the template uses an unknown value or function, or has a syntax error; the error has
//     its line
//   - the folder of dest is missing, or dest is a folder
//   - there is no account with the name of owner
//   - the received file has another checksum
type Task struct {
	// Dest is the path of the file, such as "C:/k/config.yaml". Its folder must exist.
	Dest string `hcl:"dest"`
	// Template is the text, with ${…} for values, %{ if … } for conditions and %{ for … } for
	// loops. Line ends are not changed.
	Template *string `hcl:"template,optional"`
	// Vars are the values that the template can use, of any type.
	Vars cty.Value `hcl:"vars,optional"`
	// Secret hides the content. It is also hidden if a value is sensitive. The file is then
	// private.
	Secret bool `hcl:"secret,optional"`
	// Owner is the account that owns the file, by name or SID. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Private limits access to the system and administrators. Default
	// false, which does not change the access.
	Private bool `hcl:"private,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`
}

// Kind is the module "win_template".
func Kind() module.Kind {
	return module.With[Task, render.Outputs](module.Kind{Name: "win_template", OS: []module.OS{module.Windows}, Elsewhere: "template"})
}

// Hide marks a value, or the template itself, as sensitive.
func (t *Task) Hide(argument string) bool {
	hides := argument == "vars" || argument == "template"
	t.Secret = t.Secret || hides
	return hides
}

// Validate finds mistakes in the arguments; it does not render.
func (t *Task) Validate() error {
	if t.State == "present" && t.Template == nil {
		return errors.New("template is missing, want the text to fill")
	}
	if !render.IsObject(t.Vars) {
		return errors.New("vars is no object, want { name = value … }")
	}
	return t.file(t.Secret).Check()
}

// file translates the task for package wincontent, without the source.
func (t *Task) file(hidden bool) wincontent.File {
	return wincontent.File{Path: t.Dest, Want: winacl.Want{Owner: t.Owner, Private: t.Private || hidden}, Secret: hidden}
}

// Plan renders the template and compares the file with the result.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.State == "absent" {
		return t.file(t.Secret).PlanAbsent(ctx, h)
	}
	text, err := render.Text(*t.Template, t.Vars, t.Secret)
	if err != nil {
		return nil, err
	}
	f := t.file(t.Secret)
	f.Source = content.FromText([]byte(text))
	f.Source.Hide(h, f.Secret)
	return f.Plan(ctx, h)
}

// Outputs describes the rendered content.
func (t *Task) Outputs(context.Context, module.Host) (render.Outputs, error) {
	if t.State == "absent" {
		return render.Outputs{Path: t.Dest}, nil
	}
	text, err := render.Text(*t.Template, t.Vars, t.Secret)
	return render.Outputs(content.FromText([]byte(text)).Outputs(t.Dest)), err
}
