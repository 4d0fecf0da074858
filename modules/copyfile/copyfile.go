// Package copyfile is the module "copy": a file with a given content, or with
// that of a file of the machine kinit runs on.
package copyfile

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// Task is a file and its content, given by exactly one of content,
// content_secret and source.
//
// A text up to 64 KiB is shown as a diff before it changes, unless it is secret
// or others than the owner may not read the file. A file that the cluster does
// not own is only replaced with backup = true.
//
// Outputs:
//   - path: the file
//   - sha256: checksum of the content asked for, in hex; empty for an absent file
//   - size: bytes of the content asked for; 0 for an absent file
//
// Errors:
//   - none or several of content, content_secret and source are given, or source is no
//     regular file
//   - the folder of dest is missing, or dest is a folder
//   - the file has other content, the cluster does not own it, and backup is not set
//   - validate rejects the new content; the file is then as before
type Task struct {
	// Dest is the absolute path of the file. Its folder must exist.
	Dest string `hcl:"dest"`
	// Content is the text of the file. Where a value in it is sensitive it is secret, as
	// with content_secret.
	Content *string `hcl:"content,optional" log:"-"`
	// ContentSecret is the text of the file where it must not be shown. The mode
	// is "0600" unless it is given.
	ContentSecret *secret.Value `hcl:"content_secret,optional"`
	// Source is the file to copy, on the machine kinit runs on: a path relative to the
	// folder of the playbook file, as for the function file.
	Source string `hcl:"source,optional"`
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

	files  module.LocalFiles // where source is
	hidden bool              // content is sensitive
}

// Kind is the module "copy".
func Kind() module.Kind {
	return module.Kind{Name: "copy", Elsewhere: "win_copy", New: func() module.Task { return &Task{State: "present"} }}
}

// ReadFrom says where source is.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Hide says that the content is sensitive.
func (t *Task) Hide(argument string) bool {
	t.hidden = t.hidden || argument == "content"
	return argument == "content"
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if err := t.given().Check(t.State); err != nil {
		return err
	}
	return t.file().Check()
}

// given is the arguments that say what the content is.
func (t *Task) given() content.Given {
	return content.Given{Text: t.Content, Secret: t.ContentSecret, File: t.Source, Files: t.files}
}

// file is the task in the words of package content, without the source.
func (t *Task) file() content.File {
	f := content.File{
		Path:   t.Dest,
		Want:   fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group},
		Backup: t.Backup, Validate: t.Accept, Secret: t.hidden || t.ContentSecret != nil,
	}
	if f.Secret && f.Want.Mode == "" {
		f.Want.Mode = "0600"
	}
	return f
}

// Plan compares the file with the content asked for.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	f := t.file()
	if t.State == "absent" {
		return f.PlanAbsent(ctx, h)
	}
	t.given().Hide(h)
	var err error
	if f.Source, err = t.given().Source(); err != nil {
		return nil, err
	}
	f.Source.Hide(h, f.Secret)
	return f.Plan(ctx, h)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return content.OutputTypes() }

// Outputs describes the content asked for.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	if t.State == "absent" {
		return content.Outputs(t.Dest, content.Source{}), nil
	}
	source, err := t.given().Source()
	return content.Outputs(t.Dest, source), err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Discreet  = (*Task)(nil)
	_ module.Sourced   = (*Task)(nil)
)
