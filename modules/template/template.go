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
// The template is read by the task and not by the playbook: give it with
// file("…"), or write $${ and %%{ in the playbook for ${ and %{. It sees vars and
// the functions abs, ceil, chomp, coalesce, compact, concat, contains, distinct,
// flatten, floor, format, formatlist, indent, join, jsondecode, jsonencode, keys,
// length, lookup, lower, max, merge, min, range, regex, regexall, replace,
// reverse, sort, split, substr, title, trim, trimprefix, trimspace, trimsuffix,
// upper, values and zipmap. Otherwise it is as the module copy.
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
//   - the file has other content, the cluster does not own it, and backup is not set
//   - validate rejects the new content; the file is then as before
type Task struct {
	// Dest is the absolute path of the file. Its folder must exist.
	Dest string `hcl:"dest"`
	// Template is the text, with ${…} for values and %{ if … } and %{ for … } for
	// choice and repetition.
	Template *string `hcl:"template,optional"`
	// Vars are the values the template may name, of any type.
	Vars cty.Value `hcl:"vars,optional"`
	// Secret says that the content must not be shown. It is so too when a value is
	// sensitive. The mode is then "0600" unless it is given.
	Secret bool `hcl:"secret,optional"`
	// Mode is the permission bits, such as "0644". Default: as they are, "0644"
	// for a new file.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: as it is.
	Group string `hcl:"group,optional"`
	// Backup keeps what was there before kinit as <dest>.kinit-backup. Cleanup and
	// state = "absent" put it back where the host belongs to a cluster.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that accepts the new content, as in
	// ["visudo", "-cf", "%s"]; %s is the path of a temporary file. When it fails,
	// the file stays as it was.
	Accept []string `hcl:"validate,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "template".
func Kind() module.Kind {
	return module.Kind{Name: "template", Elsewhere: "win_template", New: func() module.Task { return &Task{State: "present"} }}
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

// file is the task in the words of package content, without the source.
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
