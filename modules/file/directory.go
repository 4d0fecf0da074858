package file

import (
	"context"
	"fmt"
	"path"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pathmark"
)

// DirectoryTask is a folder with its parents, or the absence of a folder with all its
// content. Only folders that kinit makes are marked; if the removal of a folder leaves
// marked parents empty, they are removed too.
//
// Errors:
//   - path is a file or a link
//   - an absent folder is not the cluster's, or a file system is mounted in it
type DirectoryTask struct {
	// Path is the absolute path of the folder.
	Path string `hcl:"path" path:"clean"`
	module.Presence
	// Mode is the permission bits of the folder, not of its parents, such as
	// "0755". Default: unchanged, "0755" for a new folder.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: unchanged.
	Group string `hcl:"group,optional"`
}

func DirectoryKind() module.Kind {
	return module.With[DirectoryTask, DirectoryOutputs](module.Kind{Name: "directory", Elsewhere: "win_file", Marks: []module.MarkKind{
		pathmark.Directory(),
	}})
}

func (t *DirectoryTask) want() fileattr.Want {
	return fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group}
}

func (t *DirectoryTask) Validate() error { return t.want().Validate() }

func (t *DirectoryTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := read(ctx, h, t.Path, t.Absent())
	if err != nil {
		return nil, err
	}
	return t.decide(h, s)
}

func (t *DirectoryTask) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case s.exists && !s.info.Mode.IsDir():
		return nil, fmt.Errorf("%s is %s, want a folder or nothing there", t.Path, describe(s.info))
	case t.Absent():
		return t.planRemove(h, s)
	case !s.exists:
		return module.OneStep("create folder "+t.Path+t.want().Words(), t.create), nil
	}
	return t.want().Plan(t.Path, s.info), nil
}

// create marks each folder that is missing, from the top, and makes it.
func (t *DirectoryTask) create(ctx context.Context, h module.Host) error {
	missing, err := hostfile.MissingFolders(ctx, h, t.Path)
	if err != nil {
		return err
	}
	for _, dir := range missing {
		if err := h.Own(ctx, module.Mark{Kind: "directory", ID: dir}); err != nil {
			return err
		}
	}
	attr, err := t.want().Attr()
	if err != nil {
		return err
	}
	return h.Files().Mkdir(ctx, t.Path, attr)
}

func (t *DirectoryTask) planRemove(h module.Host, s state) ([]module.Step, error) {
	steps, err := planRemove(h, t.Path, s)
	if err != nil || len(steps) == 0 || h.Owner() == "" {
		return steps, err
	}
	return module.OneStep("remove folder "+t.Path, func(ctx context.Context, h module.Host) error {
		if err := steps[0].Do(ctx, h); err != nil {
			return err
		}
		return hostfile.Prune(ctx, h, path.Dir(t.Path))
	}), nil
}

type DirectoryOutputs struct {
	Path string `cty:"path" arg:"path"` // the folder
}
