// Package copyfile is the module "copy": a file with a given content, or with the content
// of a file on the machine kinit runs on or on the host.
package copyfile

import (
	"context"
	"errors"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/content"
)

// Task is a file and its content. Exactly one of content, content_base64,
// content_secret, source and host_source gives the content.
//
// A text up to 64 KiB is shown as a diff before it changes, unless it is secret
// or other users than the owner cannot read the file. A file that the cluster does
// not own is only replaced with backup = true.
//
// Errors:
//   - none or several of content, content_base64, content_secret, source and host_source are given
//   - source or host_source is missing, or is no regular file
//   - the folder of dest is missing, or dest is a folder
//   - the file has other content, the cluster does not own it, and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	content.Given
	// HostSource is the absolute path of the file to copy, on the host itself. Links are
	// followed. Without mode, dest gets the mode of this file; if other users than its owner
	// cannot read it, its content is secret.
	HostSource string `hcl:"host_source,optional" path:"clean"`
	content.Attributes
}

func Kind() module.Kind {
	return module.With[Task, content.Outputs](module.Kind{Name: "copy", Elsewhere: "win_copy"})
}

func (t *Task) Validate() error {
	n := t.Count()
	if t.HostSource != "" {
		n++
	}
	switch {
	case !t.Absent() && n != 1 || n > 1:
		return errors.New("want exactly one of content, content_base64, content_secret, source and host_source; null counts as left out")
	case t.HostSource == t.Dest:
		return fmt.Errorf("host_source is dest, %s: want two files", t.Dest)
	}
	if err := t.CheckContent(); err != nil {
		return err
	}
	return t.file(content.Source{}).Check()
}

func (t *Task) file(source content.Source) content.Target { return t.Whole(t.Dest, source, t.Secret()) }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.HostSource == "" || t.Absent() {
		return t.PlanFile(ctx, h, t.file)
	}
	source, info, err := content.FromHost(ctx, h, t.HostSource)
	if err != nil {
		return nil, fmt.Errorf("host_source: %w", err)
	}
	file := t.Whole(t.Dest, source, info.Mode.Perm()&0o044 == 0)
	if t.Mode == "" {
		file.Want.Mode = fmt.Sprintf("%04o", info.Mode.Perm())
	}
	return file.Plan(ctx, h)
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (content.Outputs, error) {
	if t.HostSource == "" || t.Absent() {
		return t.Given.Outputs(ctx, h)
	}
	source, _, err := content.FromHost(ctx, h, t.HostSource)
	return source.Outputs(t.Dest), err
}
