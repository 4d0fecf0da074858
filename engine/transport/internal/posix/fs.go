// Package posix implements module.Files once, for every transport with the few system calls
// of FS. It implements everything beyond one call: atomic writes, recursive removal, names
// of owners. It does not connect to machines.
package posix

import (
	"context"
	"io"
	"io/fs"

	"kinit/engine/module"
)

// NewFile holds the properties of a new file.
type NewFile struct {
	Mode     fs.FileMode
	UID, GID int64 // -1 keeps the machine's default for a new file
}

// FS provides the system calls of one machine. Paths are absolute and clean. A missing file
// is an fs.ErrNotExist. The FileInfo it returns has no owner names; Mode has Go's bits for
// the type, set-uid, set-gid and sticky.
type FS interface {
	// Stat describes a file; follow selects whether to follow a last link.
	Stat(ctx context.Context, path string, follow bool) (module.FileInfo, error)
	// ReadDir describes the entries of a folder, in any order.
	ReadDir(ctx context.Context, path string) ([]module.FileInfo, error)
	// Readlink returns a link's target.
	Readlink(ctx context.Context, path string) (string, error)
	// Open reads a file.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Create makes a new file, gives it its owner and mode by its handle before the first
	// byte is written, writes the content and waits until it is on disk. An older file or
	// link of that name is an error. After an error a part of the file may remain. If the
	// machine reports a full disk, the error is syscall.ENOSPC.
	Create(ctx context.Context, path string, attr NewFile, content io.Reader) error
	// Private reports whether other users cannot open a file of Create before it has its
	// mode.
	Private() bool
	// Mkdir makes one folder with the machine's default mode.
	Mkdir(ctx context.Context, path string) error
	// Chmod sets permission bits and follows links.
	Chmod(ctx context.Context, path string, mode fs.FileMode) error
	// Chown sets both ids and follows links.
	Chown(ctx context.Context, path string, uid, gid uint32) error
	// Symlink makes a link; an older file of that name is an error.
	Symlink(ctx context.Context, target, path string) error
	// Rename moves a file and replaces the one of the new name.
	Rename(ctx context.Context, from, to string) error
	// Remove deletes a file or a link.
	Remove(ctx context.Context, path string) error
	// Rmdir deletes an empty folder.
	Rmdir(ctx context.Context, path string) error
}
