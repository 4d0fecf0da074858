// Package posix implements module.Files once, for every transport with the few system calls
// of FS. It implements everything beyond one call: atomic writes, recursive removal, names
// of owners. It does not connect to machines.
package posix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"sync"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// Files is module.Files on top of an FS. It is safe for use by several
// goroutines when the FS is.
//
// In a folder that only root and our own user can change, files are accessed by their
// paths. If another user can change a folder of the path, a script does the work, which
// holds each folder and follows no link.
type Files struct {
	fs     FS
	clean  func(op, name string) (string, error)
	exec   Exec // nil if no user threatens another
	users  table
	groups table
	user   identity
	quiet  sync.Map // folders that were found closed, by path
}

// identity is the number of our own user, read once.
type identity struct {
	sync.Mutex
	id    uint32
	known bool
}

var _ module.Files = (*Files)(nil)

// New returns the files of a machine on which exec runs commands as the same user.
func New(fs FS, exec Exec) *Files {
	return &Files{
		fs:     fs,
		clean:  clean,
		exec:   exec,
		users:  table{path: "/etc/passwd", what: "user"},
		groups: table{path: "/etc/group", what: "group"},
	}
}

// WithoutAccounts returns the files of a machine whose users and groups have no numbers:
// owners are neither read nor set. clean makes a path short, or says what is wrong with it.
func WithoutAccounts(fs FS, clean func(op, name string) (string, error)) *Files {
	return &Files{fs: fs, clean: clean, users: table{what: "user"}, groups: table{what: "group"}}
}

// Stat describes a file and does not follow a link.
func (f *Files) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	name, err := f.clean("stat", name)
	if err != nil {
		return module.FileInfo{}, err
	}
	info, err := f.fs.Stat(ctx, name, false)
	if err != nil {
		return module.FileInfo{}, err
	}
	info.Name = path.Base(name)
	return f.complete(ctx, name, info)
}

// complete adds the owner's names and the target of a link.
func (f *Files) complete(ctx context.Context, name string, info module.FileInfo) (module.FileInfo, error) {
	var err error
	if info.Owner, err = f.users.name(ctx, f.fs, info.UID); err != nil {
		return info, err
	}
	if info.Group, err = f.groups.name(ctx, f.fs, info.GID); err != nil {
		return info, err
	}
	if info.Mode&fs.ModeSymlink != 0 {
		info.Target, err = f.fs.Readlink(ctx, name)
	}
	return info, err
}

// List describes what is in a folder, by name.
func (f *Files) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	name, err := f.clean("list", name)
	if err != nil {
		return nil, err
	}
	infos, err := f.fs.ReadDir(ctx, name)
	if err != nil {
		return nil, err
	}
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	for i, info := range infos {
		if infos[i], err = f.complete(ctx, path.Join(name, info.Name), info); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// Rename moves a file, replacing the target. It may move a file to another file system if
// the target folder belongs to another user.
func (f *Files) Rename(ctx context.Context, from, to string) error {
	from, err := f.clean("rename", from)
	if err != nil {
		return err
	}
	if to, err = f.clean("rename", to); err != nil {
		return err
	}
	if !f.shared() {
		return f.fs.Rename(ctx, from, to)
	}
	source, err := f.locate(ctx, "rename", from, false)
	if err != nil {
		return err
	}
	target, err := f.locate(ctx, "rename", to, false)
	if err = errors.Join(err, source.absent("rename"), target.absent("rename")); err != nil {
		return err
	}
	if source.open == "" && target.open == "" {
		if err := f.fs.Rename(ctx, source.name, target.name); err != nil {
			return fmt.Errorf("move to %s: %w", target.name, err)
		}
		return nil
	}
	return f.script(ctx, "rename", to, "rename", transport.Process{},
		source.dir(), source.base(), target.dir(), target.base(), stageName(target))
}

// clean returns an error for paths that depend on a working directory.
func clean(op, name string) (string, error) {
	if !path.IsAbs(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: errors.New("the path must be absolute")}
	}
	return path.Clean(name), nil
}

// failed adds the operation and the path to an error.
func failed(op, name, format string, args ...any) error {
	return &fs.PathError{Op: op, Path: name, Err: fmt.Errorf(format, args...)}
}

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
	// ReadDir describes the entries of a folder, in any order. Of a folder with too many
	// entries it returns the first ones and ErrTooMany.
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
	// Through returns the same system whose changes need the link, as Files.Fenced says; an
	// empty link means no condition.
	Through(link string) FS
}
