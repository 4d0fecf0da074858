package posix

import (
	"context"
	"errors"
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
	return New(f.fs.Through(link), func(ctx context.Context, p transport.Process) (int, error) {
		p.Fence = link
		return f.exec(ctx, p)
	})
}

// Through makes a change by its path through the link; without a link, by the path itself. If
// a path is missing, that may be the link itself.
func Through(ctx context.Context, files FS, link, op, path string, change func(path string) error) error {
	err := change(link + path)
	if err == nil || link == "" {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := files.Stat(ctx, link, false); errors.Is(missing, fs.ErrNotExist) {
			return &fs.PathError{Op: op, Path: path, Err: transport.ErrFenced}
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: Cause(err)}
}

// Cause returns an error without its paths.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
