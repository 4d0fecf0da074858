// Package template is the module "template": a file whose content is a text with
// HCL template syntax, filled with values.
package template

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/render"
)

// Task is a file made from a template.
//
// The task reads the template, not the playbook: give it with
// file("…"), or write $${ and %%{ in the playbook for ${ and %{. It sees vars and
// the functions abs, ceil, chomp, coalesce, compact, concat, contains, distinct,
// flatten, floor, format, formatlist, indent, join, jsondecode, jsonencode, keys,
// length, lookup, lower, max, merge, min, range, regex, regexall, replace,
// reverse, sort, split, substr, title, trim, trimprefix, trimspace, trimsuffix,
// upper, values and zipmap. Otherwise it works like the module copy.
//
// Errors:
//   - the template uses an unknown value or function, or has a syntax error; the error has
//     its line
//   - the folder of dest is missing, or dest is a folder
//   - the file has other content, the cluster does not own it, and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	render.Task
	content.Attributes
}

func Kind() module.Kind {
	return module.With[Task, render.Outputs](module.Kind{Name: "template", Elsewhere: "win_template"})
}

func (t *Task) Validate() error { return t.CheckFile(t.file(content.Source{})) }

func (t *Task) file(source content.Source) content.Target { return t.Whole(t.Dest, source, t.Secret) }

// Plan renders the template and compares the file with the result.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.PlanFile(ctx, h, t.file)
}
