package posix

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// Fenced returns the same files, but each change needs the link: it points to the root
// folder, and the paths of changes lead through it. So the kernel checks it at the moment
// of the change.
//
// Scripts check it when they begin, as every command does.
func (f *Files) Fenced(link string) module.Files {
	exec := f.exec
	if exec != nil {
		exec = func(ctx context.Context, p transport.Process) (int, error) {
			p.Fence = link
			return f.exec(ctx, p)
		}
	}
	return New(fenced{FS: f.fs, link: link}, exec)
}

// fenced is an FS whose changes go through a link to the root folder.
type fenced struct {
	FS
	link string
}

// through calls a change with the path through the link. If a path is missing, that may be
// the link itself.
func (f fenced) through(ctx context.Context, op, path string, change func(path string) error) error {
	err := change(f.link + path)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := f.FS.Stat(ctx, f.link, false); errors.Is(missing, fs.ErrNotExist) {
			return &fs.PathError{Op: op, Path: path, Err: transport.ErrFenced}
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: cause(err)}
}

// cause returns an error without its paths.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func (f fenced) Create(ctx context.Context, path string, attr NewFile, content io.Reader) error {
	return f.through(ctx, "write", path, func(path string) error { return f.FS.Create(ctx, path, attr, content) })
}

func (f fenced) Mkdir(ctx context.Context, path string) error {
	return f.through(ctx, "mkdir", path, func(path string) error { return f.FS.Mkdir(ctx, path) })
}

func (f fenced) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return f.through(ctx, "chmod", path, func(path string) error { return f.FS.Chmod(ctx, path, mode) })
}

func (f fenced) Chown(ctx context.Context, path string, uid, gid uint32) error {
	return f.through(ctx, "chown", path, func(path string) error { return f.FS.Chown(ctx, path, uid, gid) })
}

func (f fenced) Symlink(ctx context.Context, target, path string) error {
	return f.through(ctx, "symlink", path, func(path string) error { return f.FS.Symlink(ctx, target, path) })
}

func (f fenced) Rename(ctx context.Context, from, to string) error {
	return f.through(ctx, "rename", from, func(from string) error { return f.FS.Rename(ctx, from, f.link+to) })
}

func (f fenced) Remove(ctx context.Context, path string) error {
	return f.through(ctx, "remove", path, func(path string) error { return f.FS.Remove(ctx, path) })
}

func (f fenced) Rmdir(ctx context.Context, path string) error {
	return f.through(ctx, "remove", path, func(path string) error { return f.FS.Rmdir(ctx, path) })
}

// bare returns the FS without a fence, to remove the remains of a refused change.
func bare(files FS) FS {
	if f, ok := files.(fenced); ok {
		return f.FS
	}
	return files
}
