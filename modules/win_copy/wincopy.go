// Package wincopy is the module "win_copy": a file of a Windows host with a given
// content, or with the content of a file on the machine kinit runs on.
package wincopy

import (
	"context"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/content"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/wincontent"
)

// Task is a file of a Windows host and its content, given by exactly one of content,
// content_secret and source.
//
// The content is sent as a stream, only if size or checksum differ, and the received file
// is verified. For large files, let the host fetch them with
// win_download. A text up to 64 KiB is shown as a diff before it changes, unless it is
// secret or the file is private. Files of Windows hosts are not marked: they are deleted with
// the host's disk.
//
// Errors:
//   - none or several of content, content_secret and source are given, or source is not a
//     regular file
//   - the folder of dest is missing, or dest is a folder
//   - there is no account with the name of owner
//   - the received file has another checksum
type Task struct {
	// Dest is the path of the file, such as "C:/k/config.yaml". Its folder must exist.
	Dest string `hcl:"dest"`
	// Content is the text of the file; line ends are not changed. If a
	// value in it is sensitive, the text is secret, as with content_secret.
	Content *string `hcl:"content,optional" log:"-"`
	// ContentSecret is a text of the file that must not be shown. The file is then
	// private.
	ContentSecret *secret.Value `hcl:"content_secret,optional"`
	// Source is the file to copy, on the machine kinit runs on: a path relative to the
	// playbook file, or an absolute one.
	Source string `hcl:"source,optional"`
	// Owner is the account that owns the file, by name or SID. Names such as
	// "Administrators" differ between languages of Windows. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Private limits access to the system and administrators, and ignores inherited access
	// rights. Default false, which does not change the access.
	Private bool `hcl:"private,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`

	files  module.LocalFiles // the files that source names
	hidden bool              // content is sensitive
}

// Kind is the module "win_copy".
func Kind() module.Kind {
	return module.With[Task, content.Outputs](module.Kind{Name: "win_copy", OS: []module.OS{module.Windows}, Elsewhere: "copy"})
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

// file translates the task for package wincontent, without the source.
func (t *Task) file() wincontent.File {
	hidden := t.hidden || t.ContentSecret != nil
	return wincontent.File{Path: t.Dest, Want: winacl.Want{Owner: t.Owner, Private: t.Private || hidden}, Secret: hidden}
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
