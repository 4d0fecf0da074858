package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/pathmark"
)

// LinkTask is a present or absent symbolic link.
//
// Errors:
//   - path is a folder, or a file and force is not set
//   - the link has another target or should be absent, and the cluster does not own it
//   - its folder is missing
type LinkTask struct {
	// Path is the absolute path of the link. Its folder must exist.
	Path string `hcl:"path" path:"clean"`
	// Target is the target of the link. It need not exist.
	Target string `hcl:"target,optional" nonempty:"want where the link leads" path:"own"`
	// Force lets the link replace a regular file, which is lost.
	Force bool `hcl:"force,optional"`
	module.Presence
}

func LinkKind() module.Kind {
	return module.With[LinkTask, LinkOutputs](module.Kind{Name: "link", Marks: []module.MarkKind{
		module.NewMarkKind("link", "link", pathmark.Remove, module.MarkTraits{File: module.MarkedPath}),
	}})
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
	case s.exists && s.info.Mode.IsRegular() && !t.Absent():
		return t.decideFile(h, s)
	case s.exists && s.info.Mode&fs.ModeSymlink == 0:
		return nil, fmt.Errorf("%s is %s, want a link or nothing there", t.Path, describe(s.info))
	case t.Absent():
		return planRemove(h, t.Path, s)
	case !s.exists:
		return module.OneStep("link "+t.Path+" to "+t.Target, t.create), nil
	case s.info.Target == t.Target:
		return nil, nil
	case !s.ours:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.Path}, t.Path+" is a link to "+s.info.Target+" and", ownership.Remove)
	}
	return module.OneStep("link "+t.Path+" to "+t.Target+" instead of "+s.info.Target, t.create), nil
}

// decideFile decides about a regular file in place of the link.
func (t *LinkTask) decideFile(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !t.Force:
		return nil, fmt.Errorf("%s is a regular file, want a link or nothing there: force = true replaces it", t.Path)
	case !s.ours:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.Path}, t.Path+" is a regular file and", ownership.Remove)
	}
	return module.OneStep("replace file "+t.Path+" by a link to "+t.Target, t.create), nil
}

func (t *LinkTask) create(ctx context.Context, h module.Host) error {
	s, err := read(ctx, h, t.Path, false)
	if err != nil {
		return err
	}
	if s.exists && s.info.Target == t.Target {
		return nil
	}
	sum := hostfile.LinkSum(t.Target)
	if s.exists {
		err = hostfile.Rewrites(ctx, h, t.Path, sum)
	} else {
		err = h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: t.Path, Sums: sum})
	}
	if err != nil {
		return err
	}
	if !s.exists || !s.info.Mode.IsRegular() {
		return h.Files().Symlink(ctx, t.Target, t.Path)
	}
	temp := module.TemporaryName(t.Path)
	if err := h.Files().Symlink(ctx, t.Target, temp); err != nil {
		return err
	}
	if err := h.Files().Rename(ctx, temp, t.Path); err != nil {
		return errors.Join(err, hostfile.Discard(ctx, h, temp))
	}
	return nil
}

type LinkOutputs struct {
	Path string `cty:"path" arg:"path"` // the link
}
