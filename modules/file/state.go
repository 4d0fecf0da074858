package file

import (
	"context"
	"errors"
	"io/fs"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/fileattr"
)

// state is what is at a path now.
type state struct {
	exists bool
	info   module.FileInfo
	ours   bool // there is a mark, or nothing on the host has an owner
}

// read looks at a path. The marks are only asked for where the path may have to
// be replaced or removed.
func read(ctx context.Context, h module.Host, path string, replace bool) (state, error) {
	info, err := h.Files().Stat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	s := state{exists: true, info: info, ours: h.Owner() == ""}
	if !s.ours && replace {
		_, s.ours, err = claim.Of(ctx, h, path)
	}
	return s, err
}

// describe names the type of what is at a path.
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

// check finds the mistakes that all three modules know.
func check(path, state string, want fileattr.Want) error {
	if err := fileattr.CheckPath("path", path); err != nil {
		return err
	}
	if err := fileattr.CheckState(state, "present", "absent"); err != nil {
		return err
	}
	return want.Validate()
}

// The one output of all three modules.

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return pathType() }

// Outputs returns the path.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return pathValue(t.Path), nil
}

// OutputTypes names the outputs.
func (t *DirectoryTask) OutputTypes() map[string]cty.Type { return pathType() }

// Outputs returns the path.
func (t *DirectoryTask) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return pathValue(t.Path), nil
}

// OutputTypes names the outputs.
func (t *LinkTask) OutputTypes() map[string]cty.Type { return pathType() }

// Outputs returns the path.
func (t *LinkTask) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return pathValue(t.Path), nil
}

func pathType() map[string]cty.Type { return map[string]cty.Type{"path": cty.String} }

func pathValue(path string) map[string]cty.Value {
	return map[string]cty.Value{"path": cty.StringVal(path)}
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Outputter = (*DirectoryTask)(nil)
	_ module.Outputter = (*LinkTask)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Validator = (*DirectoryTask)(nil)
	_ module.Validator = (*LinkTask)(nil)
)
