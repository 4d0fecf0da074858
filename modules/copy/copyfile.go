// Package copyfile is the module "copy": a file with a given content, or with the content
// of a file on the machine kinit runs on.
package copyfile

import (
	"context"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// Task is a file and its content, given by exactly one of content,
// content_secret and source.
//
// A text up to 64 KiB is shown as a diff before it changes, unless it is secret
// or other users than the owner cannot read the file. A file that the cluster does
// not own is only replaced with backup = true.
//
// Errors:
//   - none or several of content, content_secret and source are given, or source is not a
//     regular file
//   - the folder of dest is missing, or dest is a folder
//   - the file has other content, the cluster does not own it, and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	// Dest is the absolute path of the file. Its folder must exist.
	Dest string `hcl:"dest"`
	// Content is the text of the file. If a value in it is sensitive, the text is secret, as
	// with content_secret.
	Content *string `hcl:"content,optional" log:"-"`
	// ContentSecret is a text of the file that must not be shown. The mode
	// is "0600" unless it is given.
	ContentSecret *secret.Value `hcl:"content_secret,optional"`
	// Source is the file to copy, on the machine kinit runs on: a path relative to the
	// folder of the playbook file, as for the function file.
	Source string `hcl:"source,optional"`
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

	files  module.LocalFiles // the files that source names
	hidden bool              // content is sensitive
}

// Kind is the module "copy".
func Kind() module.Kind {
	return module.With[Task, content.Outputs](module.Kind{Name: "copy", Elsewhere: "win_copy"})
}

// ReadFrom sets the files that source names.
func (t *Task) ReadFrom(files module.LocalFiles) { t.files = files }

// Hide marks the content as sensitive.
func (t *Task) Hide(argument string) bool {
	t.hidden = t.hidden || argument == "content"
	return argument == "content"
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := t.given().Check(t.State); err != nil {
		return err
	}
	return t.file().Check()
}

// given returns the arguments that define the content.
func (t *Task) given() content.Given {
	return content.Given{Text: t.Content, Secret: t.ContentSecret, File: t.Source, Files: t.files}
}

// file translates the task for package content, without the source.
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

// Plan compares the file with the requested content.
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

// Outputs describes the requested content.
func (t *Task) Outputs(context.Context, module.Host) (content.Outputs, error) {
	if t.State == "absent" {
		return content.Source{}.Outputs(t.Dest), nil
	}
	source, err := t.given().Source()
	return source.Outputs(t.Dest), err
}
