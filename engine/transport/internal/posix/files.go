package posix

import (
	"context"
	"errors"
	"fmt"
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
		exec:   exec,
		users:  table{path: "/etc/passwd", what: "user"},
		groups: table{path: "/etc/group", what: "group"},
	}
}

// WithoutAccounts returns the files of a machine whose users and groups have no numbers:
// owners are neither read nor set.
func WithoutAccounts(fs FS) *Files {
	return &Files{fs: fs, users: table{what: "user"}, groups: table{what: "group"}}
}

// Stat describes a file and does not follow a link.
func (f *Files) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	name, err := clean("stat", name)
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
	name, err := clean("list", name)
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
	from, err := clean("rename", from)
	if err != nil {
		return err
	}
	if to, err = clean("rename", to); err != nil {
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
		return f.fs.Rename(ctx, source.name, target.name)
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
