// Package template is the module "template": a file whose content is a text with
// HCL template syntax, filled with values.
package template

import (
	"context"
	"errors"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
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
	// Dest is the absolute path of the file. Its folder must exist.
	Dest string `hcl:"dest"`
	// Template is the text, with ${…} for values, %{ if … } for conditions and %{ for … } for
	// loops.
	Template *string `hcl:"template,optional"`
	// Vars are the values that the template can use, of any type.
	Vars cty.Value `hcl:"vars,optional"`
	// Secret hides the content. It is also hidden if a value is sensitive. The mode is then
	// "0600" unless it is given.
	Secret bool `hcl:"secret,optional"`
	// Mode is the permission bits, such as "0644". Default: unchanged, "0644"
	// for a new file.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: unchanged.
	Group string `hcl:"group,optional"`
	// Backup saves the file from before kinit as <dest>.kinit-backup. On a host that belongs
	// to a cluster, cleanup and state = "absent" restore it.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that checks the new content, as in
	// ["visudo", "-cf", "%s"]; %s is the path of a temporary file. If it fails,
	// the file is not changed.
	Accept []string `hcl:"validate,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`
}

// Kind is the module "template".
func Kind() module.Kind {
	return module.With[Task, render.Outputs](module.Kind{Name: "template", Elsewhere: "win_template"})
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

// file translates the task for package content, without the source.
func (t *Task) file(secret bool) content.File {
	f := content.File{
		Path:   t.Dest,
		Want:   fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group},
		Backup: t.Backup, Validate: t.Accept, Secret: secret,
	}
	if secret && f.Want.Mode == "" {
		f.Want.Mode = "0600"
	}
	return f
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
