package posix

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"kinit/engine/module"
)

// Mkdir makes a folder and its missing parents; attr is for the last one, also
// when it is there already.
func (f *Files) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	name, err := clean("mkdir", name)
	if err != nil {
		return err
	}
	if err := f.mkdirAll(ctx, name); err != nil {
		return err
	}
	return f.SetAttr(ctx, name, attr)
}

func (f *Files) mkdirAll(ctx context.Context, name string) error {
	info, err := f.fs.Stat(ctx, name, true)
	if err == nil && !info.Mode.IsDir() {
		return failed("mkdir", name, "it is there and is no folder")
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.mkdirAll(ctx, path.Dir(name)); err != nil {
		return err
	}
	made := f.fs.Mkdir(ctx, name)
	if made == nil {
		return nil
	}
	if info, err := f.fs.Stat(ctx, name, true); err == nil && info.Mode.IsDir() {
		return nil // somebody else was faster
	}
	return made
}

// SetAttr changes mode and owner.
func (f *Files) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	name, err := clean("chmod", name)
	if err != nil {
		return err
	}
	if err := f.own(ctx, name, attr, nil); err != nil {
		return err
	}
	if attr.Mode == 0 {
		return nil
	}
	return f.fs.Chmod(ctx, name, permissions(attr.Mode))
}

// Symlink makes path a link to target, replacing an older link. Anything else of
// that name is an fs.ErrExist.
func (f *Files) Symlink(ctx context.Context, target, name string) error {
	name, err := clean("symlink", name)
	if err != nil {
		return err
	}
	info, err := f.fs.Stat(ctx, name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return f.fs.Symlink(ctx, target, name)
	}
	if err != nil {
		return err
	}
	if info.Mode&fs.ModeSymlink == 0 {
		return failed("symlink", name, "it is there and is no link: %w", fs.ErrExist)
	}
	return f.relink(ctx, target, name)
}

// relink replaces a link in one go.
func (f *Files) relink(ctx context.Context, target, name string) error {
	now, err := f.fs.Readlink(ctx, name)
	if err != nil || now == target {
		return err
	}
	temporary := module.TemporaryName(name)
	if err := f.fs.Symlink(ctx, target, temporary); err != nil {
		return err
	}
	if err := f.fs.Rename(ctx, temporary, name); err != nil {
		f.tidy(ctx, temporary)
		return err
	}
	return nil
}

// Remove deletes a file, a link, or a folder with all in it. Links are never
// followed. Nothing there is no error.
func (f *Files) Remove(ctx context.Context, name string) error {
	name, err := clean("remove", name)
	if err != nil {
		return err
	}
	if name == "/" {
		return failed("remove", name, "the root folder stays")
	}
	info, err := f.fs.Stat(ctx, name, false)
	if err != nil {
		return unlessMissing(err)
	}
	return f.remove(ctx, name, info)
}

func (f *Files) remove(ctx context.Context, name string, info module.FileInfo) error {
	if !info.Mode.IsDir() {
		return unlessMissing(f.fs.Remove(ctx, name))
	}
	infos, err := f.fs.ReadDir(ctx, name)
	if err != nil {
		return unlessMissing(err)
	}
	for _, info := range infos {
		if err := f.remove(ctx, path.Join(name, info.Name), info); err != nil {
			return err
		}
	}
	return unlessMissing(f.fs.Rmdir(ctx, name))
}

func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
