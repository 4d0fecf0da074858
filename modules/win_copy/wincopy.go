// Package wincopy is the module "win_copy": a file of a Windows host with a given
// content, or with the content of a file on the machine kinit runs on.
package wincopy

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/wincontent"
)

// Task is a file of a Windows host and its content. Exactly one of content, content_base64,
// content_secret and source gives the content.
//
// The content is sent as a stream, only if size or checksum differ, and the received file
// is verified. For large files, let the host fetch them with
// win_download. A text up to 64 KiB is shown as a diff before it changes, unless it is
// secret or the file is private. Files of Windows hosts are not marked: they are deleted with
// the host's disk.
//
// Errors:
//   - none or several of content, content_base64, content_secret and source are given, or source is not a
//     regular file
//   - the folder of dest is missing, or dest is a folder
//   - there is no account with the name of owner
//   - the received file has another checksum
type Task struct {
	content.Given
	winacl.Want
}

func Kind() module.Kind {
	return module.With[Task, content.Outputs](module.Kind{Name: "win_copy", OS: []module.OS{module.Windows}, Elsewhere: "copy"})
}

func (t *Task) Validate() error { return t.CheckFile(t.file(content.Source{})) }

func (t *Task) file(source content.Source) content.Target {
	return wincontent.New(t.Dest, source, t.Want, t.Secret())
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.PlanFile(ctx, h, t.file)
}
