package file

import (
	"context"
	"fmt"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/pathmark"
)

// LinkTask is a present or absent symbolic link.
//
// Errors:
//   - path is a file or a folder
//   - the link has another target or should be absent, and the cluster does not own it
//   - its folder is missing
type LinkTask struct {
	// Path is the absolute path of the link. Its folder must exist.
	Path string `hcl:"path"`
	// Target is the target of the link. It need not exist.
	Target string `hcl:"target,optional" nonempty:"want where the link leads"`
	module.Presence
}

func LinkKind() module.Kind {
	return module.With[LinkTask, LinkOutputs](module.Kind{Name: "link", Marks: []module.MarkKind{
		module.NewMarkKind("link", "link", pathmark.Remove, module.MarkTraits{File: module.MarkedPath}),
	}})
}

func (t *LinkTask) Validate() error {
	return check(t.Path, fileattr.Want{})
}

func (t *LinkTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := read(ctx, h, t.Path, true)
	if err != nil {
		return nil, err
	}
	return t.decide(h, s)
}

func (t *LinkTask) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case s.exists && s.info.Mode&fs.ModeSymlink == 0:
		return nil, fmt.Errorf("%s is %s, want a link or nothing there", t.Path, describe(s.info))
	case t.Absent():
		return planRemove(h, t.Path, s)
	case !s.exists:
		return module.OneStep("link "+t.Path+" to "+t.Target, t.create), nil
	case s.info.Target == t.Target:
		return nil, nil
	case !s.ours:
		return nil, fmt.Errorf("%s is a link to %s and is not owned by cluster %s: remove it yourself if nothing needs it",
			t.Path, s.info.Target, h.Owner())
	}
	return module.OneStep("link "+t.Path+" to "+t.Target+" instead of "+s.info.Target, t.create), nil
}

func (t *LinkTask) create(ctx context.Context, h module.Host) error {
	s, err := read(ctx, h, t.Path, false)
	if err != nil {
		return err
	}
	if s.exists && s.info.Target == t.Target {
		return nil
	}
	if !s.exists {
		if err := h.Own(ctx, module.Mark{Kind: "file", ID: t.Path}); err != nil {
			return err
		}
	}
	return h.Files().Symlink(ctx, t.Target, t.Path)
}

type LinkOutputs struct {
	Path string `cty:"path"` // the link
}
