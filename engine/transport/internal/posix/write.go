package posix

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"kinit/engine/module"
)

// newFile is the mode of a new file when none is asked for: what a umask of 022
// leaves.
const newFile fs.FileMode = 0o644

// tidyTime is how long the removal of a temporary file may take after the
// write's own context has ended.
const tidyTime = 5 * time.Second

// Write replaces a file's content in one go: temporary name in the same folder,
// fsync, mode and owner, rename. A link of that name is replaced, not followed.
// What attr leaves open is taken from the older file.
func (f *Files) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	name, err := clean("write", name)
	if err != nil {
		return err
	}
	old, err := f.older(ctx, name)
	if err != nil {
		return err
	}
	temporary := module.TemporaryName(name)
	if err := f.prepare(ctx, temporary, content, attr, old); err != nil {
		f.tidy(ctx, temporary)
		return err
	}
	if err := f.fs.Rename(ctx, temporary, name); err != nil {
		f.tidy(ctx, temporary)
		return err
	}
	return nil
}

// older describes the regular file that will be replaced, or returns nil.
func (f *Files) older(ctx context.Context, name string) (*module.FileInfo, error) {
	info, err := f.fs.Stat(ctx, name, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.Mode.IsDir():
		return nil, failed("write", name, "it is a folder")
	case !info.Mode.IsRegular():
		return nil, nil
	}
	return &info, nil
}

// prepare makes the temporary file as the final one should be.
func (f *Files) prepare(ctx context.Context, name string, content io.Reader, attr module.Attr, old *module.FileInfo) error {
	mode := permissions(attr.Mode)
	if mode == 0 && old != nil {
		mode = permissions(old.Mode)
	}
	if mode == 0 {
		mode = newFile
	}
	if err := f.fs.Create(ctx, name, mode, content); err != nil {
		return err
	}
	err := f.own(ctx, name, attr, old)
	if err != nil || mode&(fs.ModeSetuid|fs.ModeSetgid) == 0 {
		return err
	}
	// A change of owner has cleared these bits, and so have writes of a user who is not
	// root.
	return f.fs.Chmod(ctx, name, mode)
}

// own gives the file its owner.
func (f *Files) own(ctx context.Context, name string, attr module.Attr, old *module.FileInfo) error {
	if attr.Owner == "" && attr.Group == "" && old == nil {
		return nil
	}
	now, err := f.fs.Stat(ctx, name, true)
	if err != nil {
		return err
	}
	want := now
	if old != nil {
		want = *old
	}
	if err := f.resolve(ctx, attr, &want); err != nil {
		return err
	}
	if want.UID == now.UID && want.GID == now.GID {
		return nil
	}
	return f.fs.Chown(ctx, name, want.UID, want.GID)
}

// resolve puts the ids of the names in attr into info.
func (f *Files) resolve(ctx context.Context, attr module.Attr, info *module.FileInfo) error {
	var err error
	if attr.Owner != "" {
		if info.UID, err = f.users.id(ctx, f.fs, attr.Owner); err != nil {
			return err
		}
	}
	if attr.Group != "" {
		info.GID, err = f.groups.id(ctx, f.fs, attr.Group)
	}
	return err
}

// tidy removes what a failed write left. Its own error would hide the first one.
func (f *Files) tidy(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_ = bare(f.fs).Remove(ctx, name)
}

// permissions keeps the permission bits of a mode. The octal 04000, 02000 and
// 01000, as chmod takes them, become Go's bits.
func permissions(mode fs.FileMode) fs.FileMode {
	bits := mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	if mode&0o4000 != 0 {
		bits |= fs.ModeSetuid
	}
	if mode&0o2000 != 0 {
		bits |= fs.ModeSetgid
	}
	if mode&0o1000 != 0 {
		bits |= fs.ModeSticky
	}
	return bits
}
