package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// LinkTask is a symbolic link that is there, or not.
//
// Outputs:
//   - path: the link
//
// Errors:
//   - path is a file or a folder
//   - the link leads elsewhere, or is to be absent, and the cluster does not own it
//   - its folder is missing
type LinkTask struct {
	// Path is the absolute path of the link. Its folder must exist.
	Path string `hcl:"path"`
	// Target is where the link leads. It need not exist.
	Target string `hcl:"target,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// LinkKind is the module "link".
func LinkKind() module.Kind {
	return module.Kind{Name: "link", New: func() module.Task { return &LinkTask{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *LinkTask) Validate() error {
	if t.State == "present" && t.Target == "" {
		return errors.New("target is empty, want where the link leads")
	}
	return check(t.Path, t.State, fileattr.Want{})
}

// Plan compares the path with the arguments.
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
	case t.State == "absent":
		return planRemove(h, t.Path, s)
	case !s.exists:
		return one("link "+t.Path+" to "+t.Target, t.create), nil
	case s.info.Target == t.Target:
		return nil, nil
	case !s.ours:
		return nil, fmt.Errorf("%s is a link to %s and is not owned by cluster %s: remove it yourself if nothing needs it",
			t.Path, s.info.Target, h.Owner())
	}
	return one("link "+t.Path+" to "+t.Target+" instead of "+s.info.Target, t.create), nil
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
