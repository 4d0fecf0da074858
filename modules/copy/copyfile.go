// Package copyfile is the module "copy": a file with a given content, or with the content
// of a file on the machine kinit runs on.
package copyfile

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/content"
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
	content.Given
	content.Attributes
}

func Kind() module.Kind {
	return module.With[Task, content.Outputs](module.Kind{Name: "copy", Elsewhere: "win_copy"})
}

func (t *Task) Validate() error { return t.CheckFile(t.file(content.Source{})) }

func (t *Task) file(source content.Source) content.Target { return t.Whole(t.Dest, source, t.Secret()) }

// Plan compares the file with the requested content.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.PlanFile(ctx, h, t.file)
}
