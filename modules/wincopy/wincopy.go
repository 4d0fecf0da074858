// Package wincopy is the module "win_copy": a file of a Windows host with a given
// content, or with that of a file of the machine kinit runs on.
package wincopy

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/wincontent"
)

// Task is a file of a Windows host and its content, given by exactly one of content,
// content_secret and source.
//
// The content is sent as a stream and only where size or checksum differ, and is
// compared with what has arrived. Large files are better fetched by the host with
// win_download. A text up to 64 KiB is shown as a diff before it changes, unless it is
// secret or the file is private. Files of Windows hosts are not marked: they go with
// the host's disk.
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
//   - there is no account with the name of owner
//   - what has arrived has another checksum
type Task struct {
	// Dest is the path of the file, such as "C:/k/config.yaml". Its folder must exist.
	Dest string `hcl:"dest"`
	// Content is the text of the file, as it is: line ends are not changed. Where a
	// value in it is sensitive it is secret, as with content_secret.
	Content *string `hcl:"content,optional" log:"-"`
	// ContentSecret is the text of the file where it must not be shown. The file is
	// private then.
	ContentSecret *secret.Value `hcl:"content_secret,optional"`
	// Source is the file to copy, on the machine kinit runs on: a path relative to the
	// playbook file, or an absolute one.
	Source string `hcl:"source,optional"`
	// Owner is the account that owns the file, by name or SID. Names such as
	// "Administrators" differ between languages of Windows. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Private takes the file from all but the system and administrators, and from what
	// its folder hands down. Default false, which leaves the access as it is.
	Private bool `hcl:"private,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`

	files  module.LocalFiles // where source is
	hidden bool              // content is sensitive
}

// Kind is the module "win_copy".
func Kind() module.Kind {
	return module.Kind{Name: "win_copy", OS: []module.OS{module.Windows}, Elsewhere: "copy",
		New: func() module.Task { return &Task{State: "present"} }}
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

// file is the task in the words of package wincontent, without the source.
func (t *Task) file() wincontent.File {
	hidden := t.hidden || t.ContentSecret != nil
	return wincontent.File{Path: t.Dest, Want: winacl.Want{Owner: t.Owner, Private: t.Private || hidden}, Secret: hidden}
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
