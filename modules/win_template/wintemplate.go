// Package wintemplate is the module "win_template": a file of a Windows host whose
// content is a text with HCL template syntax, filled with values.
package wintemplate

import (
	"context"

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
	render.Task
	winacl.Want
}

func Kind() module.Kind {
	return module.With[Task, render.Outputs](module.Kind{Name: "win_template", OS: []module.OS{module.Windows}, Elsewhere: "template"})
}

func (t *Task) Validate() error { return t.CheckFile(t.file(content.Source{})) }

func (t *Task) file(source content.Source) content.Target {
	return wincontent.New(t.Dest, source, t.Want, t.Secret)
}

// Plan renders the template and compares the file with the result.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.PlanFile(ctx, h, t.file)
}
