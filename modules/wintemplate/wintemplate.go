// Package wintemplate is the module "win_template": a file of a Windows host whose
// content is a text with HCL template syntax, filled with values.
package wintemplate

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/render"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/wincontent"
)

// Task is a file of a Windows host made from a template. The template's language and
// functions are those of the module template; otherwise it is as the module win_copy.
//
// Outputs:
//   - path: the file
//   - sha256: checksum of the rendered text, in hex; empty for an absent file
//   - size: bytes of the rendered text; 0 for an absent file
//
// Errors:
//   - the template names a value or function that is not there, or is no template: with
//     its line
//   - the folder of dest is missing, or dest is a folder
//   - there is no account with the name of owner
//   - what has arrived has another checksum
type Task struct {
	// Dest is the path of the file, such as "C:/k/config.yaml". Its folder must exist.
	Dest string `hcl:"dest"`
	// Template is the text, with ${…} for values and %{ if … } and %{ for … } for
	// choice and repetition. Line ends are as they are in it.
	Template *string `hcl:"template,optional"`
	// Vars are the values the template may name, of any type.
	Vars cty.Value `hcl:"vars,optional"`
	// Secret says that the content must not be shown. It is so too when a value is
	// sensitive. The file is private then.
	Secret bool `hcl:"secret,optional"`
	// Owner is the account that owns the file, by name or SID. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Private takes the file from all but the system and administrators. Default
	// false, which leaves the access as it is.
	Private bool `hcl:"private,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "win_template".
func Kind() module.Kind {
	return module.Kind{Name: "win_template", OS: []module.OS{module.Windows}, Elsewhere: "template",
		New: func() module.Task { return &Task{State: "present"} }}
}

// Hide says that a value, or the template itself, is sensitive.
func (t *Task) Hide(argument string) bool {
	hides := argument == "vars" || argument == "template"
	t.Secret = t.Secret || hides
	return hides
}

// Validate finds mistakes in the arguments; it does not render.
func (t *Task) Validate() error {
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if t.State == "present" && t.Template == nil {
		return errors.New("template is missing, want the text to fill")
	}
	if !render.IsObject(t.Vars) {
		return errors.New("vars is no object, want { name = value … }")
	}
	return t.file(t.Secret).Check()
}

// file is the task in the words of package wincontent, without the source.
func (t *Task) file(hidden bool) wincontent.File {
	return wincontent.File{Path: t.Dest, Want: winacl.Want{Owner: t.Owner, Private: t.Private || hidden}, Secret: hidden}
}

// Plan renders, and compares the file with what came out.
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

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return content.OutputTypes() }

// Outputs describes what the template gives.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	if t.State == "absent" {
		return content.Outputs(t.Dest, content.Source{}), nil
	}
	text, err := render.Text(*t.Template, t.Vars, t.Secret)
	return content.Outputs(t.Dest, content.FromText([]byte(text))), err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Discreet  = (*Task)(nil)
)
