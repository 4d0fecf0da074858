package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"kinit/engine/module"
	"kinit/engine/transport/internal/posix"
)

// system implements the system calls of this machine.
type system struct{ fence string }

var _ posix.FS = system{}

func describe(info fs.FileInfo) module.FileInfo {
	out := module.FileInfo{Name: info.Name(), Size: info.Size(), Mode: info.Mode(), MTime: info.ModTime()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		out.UID, out.GID = stat.Uid, stat.Gid
	}
	return out
}

// Private is true: only its owner can access a new file.
func (system) Private() bool { return true }

func (s system) Create(ctx context.Context, path string, attr posix.NewFile, content io.Reader) error {
	return s.change(ctx, "write", path, func(path string) error {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(fill(ctx, file, attr, content), file.Close())
	})
}

// fill sets the file's owner before its mode, since a change of owner clears the set-uid
// bits. Writes by other users than root clear them too.
func fill(ctx context.Context, file *os.File, attr posix.NewFile, content io.Reader) error {
	if attr.UID >= 0 || attr.GID >= 0 {
		if err := file.Chown(int(attr.UID), int(attr.GID)); err != nil {
			return err
		}
	}
	if err := file.Chmod(attr.Mode); err != nil {
		return err
	}
	if _, err := io.Copy(file, posix.Reader(ctx, content)); err != nil {
		return err
	}
	if attr.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		if err := file.Chmod(attr.Mode); err != nil {
			return err
		}
	}
	return file.Sync()
}

func (s system) Mkdir(ctx context.Context, path string) error {
	return s.change(ctx, "mkdir", path, func(path string) error { return os.Mkdir(path, 0o777) })
}

func (s system) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return s.change(ctx, "chmod", path, func(path string) error { return os.Chmod(path, mode) })
}

func (s system) Chown(ctx context.Context, path string, uid, gid uint32) error {
	return s.change(ctx, "chown", path, func(path string) error { return os.Chown(path, int(uid), int(gid)) })
}

func (s system) Symlink(ctx context.Context, target, path string) error {
	return s.change(ctx, "symlink", path, func(path string) error { return os.Symlink(target, path) })
}

func (s system) Rename(ctx context.Context, from, to string) error {
	return s.change(ctx, "rename", from, func(from string) error { return os.Rename(from, s.fence+to) })
}

func (s system) Remove(ctx context.Context, path string) error {
	return s.change(ctx, "remove", path, func(path string) error { return os.Remove(path) })
}

func (s system) Rmdir(ctx context.Context, path string) error {
	return s.change(ctx, "remove", path, func(path string) error { return os.Remove(path) })
}

// change makes a call, past the fence if there is one, unless ctx has ended. The calls are too
// short to be worth interrupting.
func (s system) change(ctx context.Context, op, path string, call func(path string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return posix.Through(ctx, s, s.fence, op, path, call)
}

// Through returns the same system whose changes need the link.
func (s system) Through(link string) posix.FS { return system{link} }
