package file

import (
	"context"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// state is the current state of a path.
type state struct {
	exists bool
	info   module.FileInfo
	ours   bool // there is a mark, or nothing on the host has an owner
}

// read reads a path. It reads the marks only if the path may have to be replaced or
// removed.
func read(ctx context.Context, h module.Host, path string, replace bool) (state, error) {
	info, there, err := hostfile.Look(ctx, h, path)
	if err != nil || !there {
		return state{}, err
	}
	s := state{exists: true, info: info}
	if replace {
		s.ours, err = ownership.Ours(ctx, h, path)
	}
	return s, err
}

func describe(info module.FileInfo) string {
	switch {
	case info.Mode.IsDir():
		return "a folder"
	case info.Mode.IsRegular():
		return "a regular file"
	case info.Mode&fs.ModeSymlink != 0:
		return "a link to " + info.Target
	}
	return "a special file"
}

type Outputs struct {
	Path string `cty:"path" arg:"path,content"` // the file
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Path}, nil
}

func (t *DirectoryTask) Outputs(context.Context, module.Host) (DirectoryOutputs, error) {
	return DirectoryOutputs{Path: t.Path}, nil
}

func (t *LinkTask) Outputs(context.Context, module.Host) (LinkOutputs, error) {
	return LinkOutputs{Path: t.Path}, nil
}
