// Package file is the modules "file", "directory" and "link": the presence of a path, its
// mode and its owner. The modules "copy" and "template" manage content.
package file

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/pathmark"
)

// Task is a present or absent regular file. With state = "present" a missing file is made
// empty; mode, owner and group alone do not make one. An absent one can also be a link; if kinit
// replaced another file by it, that file is restored.
//
// Errors:
//   - path is a folder or a link
//   - its folder is missing
//   - the file is missing, mode, owner or group is given, and state is not
//   - an absent file is not the cluster's
type Task struct {
	// Path is the absolute path of the file. Its folder must exist.
	Path string `hcl:"path" path:"clean"`
	// State is whether the file should be there. Default: "present"; with mode, owner or
	// group the file must then exist already.
	State string `hcl:"state,optional" enum:"present,absent"`
	fileattr.Want
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "file", Elsewhere: "win_file", Marks: []module.MarkKind{
		pathmark.File(), content.Edits(),
	}})
}

// Absent reports whether the file should not be there.
func (t *Task) Absent() bool { return t.State == "absent" }

func (t *Task) Validate() error { return t.Want.Validate() }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return content.File{Path: t.Path}.PlanAbsent(ctx, h)
	}
	s, err := read(ctx, h, t.Path, false)
	if err != nil {
		return nil, err
	}
	return t.decide(s)
}

func (t *Task) decide(s state) ([]module.Step, error) {
	switch {
	case s.exists && !s.info.Mode.IsRegular():
		return nil, fmt.Errorf("%s is %s, want a regular file or nothing there", t.Path, describe(s.info))
	case !s.exists && t.State == "" && t.Want != (fileattr.Want{}):
		return nil, fmt.Errorf("%s is missing: set state = \"present\" to make an empty file, or make it with a task before", t.Path)
	case !s.exists:
		return module.OneStep("create "+t.Path+t.Want.Words(), t.create), nil
	}
	return t.Want.Plan(t.Path, s.info), nil
}

func (t *Task) create(ctx context.Context, h module.Host) error {
	s, err := read(ctx, h, t.Path, false)
	if err != nil {
		return err
	}
	if s.exists {
		return t.Want.Set(ctx, h, t.Path)
	}
	if err := h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: t.Path, Sums: hostfile.Sum("")}); err != nil {
		return err
	}
	attr, err := t.Want.Attr()
	if err != nil {
		return err
	}
	return h.Files().Write(ctx, t.Path, strings.NewReader(""), attr)
}

// planRemove returns the step that removes a path, or an error if it must not be removed.
func planRemove(h module.Host, path string, s state) ([]module.Step, error) {
	if !s.exists {
		return nil, nil
	}
	if !s.ours {
		return nil, ownership.Foreign(h, path, ownership.Remove)
	}
	return module.OneStep("remove "+path, func(ctx context.Context, h module.Host) error {
		return hostfile.Delete(ctx, h, path)
	}), nil
}
