package posix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"

	"kinit/engine/module"
)

// mostLinks is how many links may lead to a folder, as in the kernel.
const mostLinks = 40

// othersMayWrite is the permission bits by which others than the owner change a folder. An
// access control list appears in the bits of the group.
const othersMayWrite fs.FileMode = 0o022

// othersMayEnter is the permission bits by which others reach a folder's entries.
const othersMayEnter fs.FileMode = 0o011

// location is the target of a path, and whether other users can change the path.
type location struct {
	asked string // the path as a caller has given it, in its shortest form
	name  string // the path, without the links of folders that only root and our own user can change
	// open is the first folder of the path in which a user other than root and our own can
	// make and rename entries. Entries below it are not checked, and only scripts that hold
	// each folder may change them. Empty without such a folder.
	open    string
	private bool   // other users cannot pass the folders of the path
	missing string // the first missing folder
	there   bool   // the path exists
	info    module.FileInfo
}

func (p location) dir() string  { return path.Dir(p.name) }
func (p location) base() string { return path.Base(p.name) }

// locate finds the target of a path. It checks all folders of the path at the same time, so
// that it takes as long as one check. It follows a link at the path itself only on request.
func (f *Files) locate(ctx context.Context, op, name string, follow bool) (location, error) {
	name, err := f.clean(op, name)
	if err != nil {
		return location{}, err
	}
	p, err := f.walk(ctx, op, name, follow)
	p.asked = name
	return p, err
}

func (f *Files) walk(ctx context.Context, op, name string, follow bool) (location, error) {
	if name == "/" {
		return location{}, failed(op, name, "the root folder stays as it is")
	}
	if !f.shared() {
		return f.locateOwn(ctx, name, follow)
	}
	for range mostLinks {
		p, leads, err := f.checkFolders(ctx, op, name, f.statAlong(ctx, name), follow)
		if err != nil || leads == "" {
			return p, err
		}
		name = leads
	}
	return location{}, failed(op, name, "%w", syscall.ELOOP)
}

// shared reports whether the machine may have users whose folders we must not trust.
func (f *Files) shared() bool { return f.exec != nil }

// locateOwn is locate on a machine without such users.
func (f *Files) locateOwn(ctx context.Context, name string, follow bool) (location, error) {
	p := location{name: name, private: true}
	info, err := f.fs.Stat(ctx, name, follow)
	if err != nil {
		return p, unlessMissing(err)
	}
	p.there, p.info = true, info
	return p, nil
}

// entry is one folder of a path, or its end, as it was found.
type entry struct {
	path string
	info module.FileInfo
	err  error
}

func (e entry) missing() bool { return errors.Is(e.err, fs.ErrNotExist) }
func (e entry) link() bool    { return e.err == nil && e.info.Mode&fs.ModeSymlink != 0 }

// statAlong checks every folder of a path and its end.
func (f *Files) statAlong(ctx context.Context, name string) []entry {
	folders := []entry{{path: "/"}}
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '/' {
			folders = append(folders, entry{path: name[:i]})
		}
	}
	var all sync.WaitGroup
	for i := range folders {
		all.Go(func() { folders[i].info, folders[i].err = f.fs.Stat(ctx, folders[i].path, false) })
	}
	all.Wait()
	return folders
}

// checkFolders walks the checked folders up to one that others can change. It returns another path
// if a link leads there.
func (f *Files) checkFolders(ctx context.Context, op, name string, folders []entry, follow bool) (location, string, error) {
	p := location{name: name}
	last := len(folders) - 1
	for i, at := range folders[:last] {
		switch {
		case at.missing():
			p.missing = at.path
			return p, "", nil
		case at.err != nil:
			return p, "", at.err
		case at.link():
			leads, err := f.leads(ctx, op, at.path, name)
			return p, leads, err
		case !at.info.Mode.IsDir():
			return p, "", failed(op, at.path, "%w", syscall.ENOTDIR)
		}
		closed, err := f.closed(ctx, at, folders[i+1])
		if err != nil {
			return p, "", err
		}
		if !closed {
			p.open = at.path
			return p, "", nil
		}
		p.private = p.private || at.info.Mode&othersMayEnter == 0
	}
	end := folders[last]
	switch {
	case end.missing():
		return p, "", nil
	case end.err != nil:
		return p, "", end.err
	case end.link() && follow:
		leads, err := f.leads(ctx, op, end.path, name)
		return p, leads, err
	}
	p.there, p.info = true, end.info
	return p, "", nil
}

// leads returns the path after a link in it is resolved.
func (f *Files) leads(ctx context.Context, op, link, name string) (string, error) {
	target, err := f.fs.Readlink(ctx, link)
	if err != nil {
		return "", err
	}
	from := path.Dir(link)
	if path.IsAbs(target) {
		from = "/"
	}
	up := strings.TrimPrefix(target, "/")
	for strings.HasPrefix(up+"/", "../") { // from is no link, so the kernel does the same
		from, up = path.Dir(from), strings.TrimPrefix(strings.TrimPrefix(up, ".."), "/")
	}
	if strings.Contains("/"+up+"/", "/../") {
		return "", failed(op, name, "%s is a link to %s: name that folder itself", link, target)
	}
	return path.Join(from, up, strings.TrimPrefix(name, link)), nil
}

// closed reports whether only root and our own user can change the next entry of the path
// in a folder. In a sticky folder, such as /tmp, others cannot rename our files.
func (f *Files) closed(ctx context.Context, at, next entry) (bool, error) {
	mine, err := f.mine(ctx, at.info)
	if err != nil || !mine {
		return false, err
	}
	if at.info.Mode&othersMayWrite == 0 {
		return true, nil
	}
	if at.info.Mode&fs.ModeSticky == 0 || next.err != nil {
		return false, nil
	}
	return f.mine(ctx, next.info)
}

// mine reports whether root or our own user owns it.
func (f *Files) mine(ctx context.Context, info module.FileInfo) (bool, error) {
	if info.UID == 0 {
		return true, nil
	}
	self, err := f.self(ctx)
	return info.UID == self, err
}

// Folder finds the folder of a path.
func (f *Files) Folder(ctx context.Context, name string) (module.Folder, error) {
	p, err := f.locate(ctx, "stat", name, false)
	if err == nil && p.missing != "" {
		err = &fs.PathError{Op: "stat", Path: p.missing, Err: syscall.ENOENT}
	}
	return module.Folder{Path: p.dir(), Closed: p.open == ""}, err
}

// find is locate for a path whose folder must be there.
func (f *Files) find(ctx context.Context, op, name string, follow bool) (location, error) {
	p, err := f.locate(ctx, op, name, follow)
	return p, cmp.Or(err, p.absent(op))
}

// absent returns the error of a path whose folder is missing.
func (p location) absent(op string) error {
	if p.missing == "" {
		return nil
	}
	return &fs.PathError{Op: op, Path: p.name, Err: fmt.Errorf("%s: %w", p.missing, syscall.ENOENT)}
}
