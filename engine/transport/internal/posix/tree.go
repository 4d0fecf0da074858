package posix

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// newFolder is the default mode of a new folder, as with a umask of 022.
const newFolder fs.FileMode = 0o755

// Mkdir makes a folder and its missing parents; attr applies to the last one, even if it
// exists already.
func (f *Files) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	p, err := f.locate(ctx, "mkdir", name, true)
	if err != nil {
		return err
	}
	uid, gid := int64(-1), int64(-1)
	switch {
	case p.open != "":
		if err := f.resolve(ctx, attr, &uid, &gid); err != nil {
			return err
		}
		below := strings.Split(strings.TrimPrefix(strings.TrimPrefix(p.name, p.open), "/"), "/")
		return f.script(ctx, "mkdir", p.asked, "mkdir", transport.Process{},
			append([]string{p.open, owners(uid, gid), octalOrNone(attr.Mode)}, below...)...)
	case p.there && !p.info.Mode.IsDir():
		return failed("mkdir", p.asked, "it is there and is no folder")
	case !p.there:
		if err := f.mkdirAll(ctx, p.name); err != nil {
			return err
		}
	}
	return f.SetAttr(ctx, p.name, attr)
}

// octalOrNone returns a mode for chmod, or "" without one.
func octalOrNone(mode fs.FileMode) string {
	if mode == 0 {
		return ""
	}
	return octal(permissions(mode))
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
		return f.asDefault(ctx, name)
	}
	if info, err := f.fs.Stat(ctx, name, true); err == nil && info.Mode.IsDir() {
		return nil // another process has made it meanwhile
	}
	return made
}

// asDefault makes a new folder again if it does not have the default mode. A script sets the umask, so that the
// access control list and the group of the folder above count as they do for every program.
func (f *Files) asDefault(ctx context.Context, name string) error {
	if f.exec == nil {
		return nil
	}
	info, err := f.fs.Stat(ctx, name, false)
	if err != nil || info.Mode.Perm() == newFolder {
		return err
	}
	return f.script(ctx, "mkdir", name, "again", transport.Process{}, path.Dir(name), path.Base(name))
}

// SetAttr changes mode and owner.
func (f *Files) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	if attr == (module.Attr{}) {
		_, err := f.clean("chmod", name)
		return err
	}
	p, err := f.find(ctx, "chmod", name, true)
	if err != nil {
		return err
	}
	uid, gid := int64(-1), int64(-1)
	if err := f.resolve(ctx, attr, &uid, &gid); err != nil {
		return err
	}
	switch {
	case p.open != "":
		return f.script(ctx, "chmod", p.asked, "attributes", transport.Process{},
			p.dir(), p.base(), stageName(p), owners(uid, gid), octalOrNone(attr.Mode))
	case !p.there:
		return &fs.PathError{Op: "chmod", Path: p.asked, Err: syscall.ENOENT}
	}
	return f.setAttr(ctx, p, uid, gid, attr.Mode)
}

// setAttr is SetAttr in a folder that others cannot change. A change of owner clears the
// bits for set-uid and set-gid, so that the mode comes second.
func (f *Files) setAttr(ctx context.Context, p location, uid, gid int64, mode fs.FileMode) error {
	want := p.info
	if uid >= 0 {
		want.UID = uint32(uid)
	}
	if gid >= 0 {
		want.GID = uint32(gid)
	}
	if want.UID != p.info.UID || want.GID != p.info.GID {
		if err := f.fs.Chown(ctx, p.name, want.UID, want.GID); err != nil {
			return err
		}
	}
	if mode == 0 {
		return nil
	}
	return f.fs.Chmod(ctx, p.name, permissions(mode))
}

// Symlink makes path a link to target, replacing an older link. Anything else of
// that name is an fs.ErrExist.
func (f *Files) Symlink(ctx context.Context, target, name string) error {
	p, err := f.find(ctx, "symlink", name, false)
	switch {
	case err != nil:
		return err
	case p.open != "":
		return f.script(ctx, "symlink", p.asked, "symlink", transport.Process{}, p.dir(), p.base(), stageName(p), target)
	case !p.there:
		return f.fs.Symlink(ctx, target, p.name)
	case p.info.Mode&fs.ModeSymlink == 0:
		return failed("symlink", p.asked, "it is there and is no link: %w", fs.ErrExist)
	}
	return f.relink(ctx, target, p.name)
}

// relink replaces a link atomically.
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

// Remove deletes a file, a link, or a folder with all in it. It never follows links. It
// does not remove a folder in which a file system is mounted. A missing path is no error.
func (f *Files) Remove(ctx context.Context, name string) error {
	p, err := f.locate(ctx, "remove", name, false)
	switch {
	case err != nil:
		return unlessMissing(err)
	case p.open != "" || f.shared() && p.there && p.info.Mode.IsDir():
		return unlessMissing(f.script(ctx, "remove", p.asked, "remove", transport.Process{}, p.dir(), p.base(), mountName(p.name)))
	case !p.there:
		return nil
	}
	return f.remove(ctx, p.name, p.info, 0)
}

var mountEscapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

// mountName returns a path in the form of the kernel's list of mounts, proc(5).
func mountName(name string) string {
	return mountEscapes.Replace(name)
}

// remove deletes a file or a folder. held is what the entries of the folders above take in
// memory; a folder with too many entries is listed several times.
func (f *Files) remove(ctx context.Context, name string, info module.FileInfo, held int) error {
	if !info.Mode.IsDir() {
		return unlessMissing(f.fs.Remove(ctx, name))
	}
	for more := true; more; {
		infos, err := f.fs.ReadDir(ctx, name)
		more = errors.Is(err, ErrTooMany)
		if err != nil && !more {
			return unlessMissing(err)
		}
		below := held + Size(infos)
		if below > 2*MostListed {
			return failed("remove", name, "%w", ErrTooMany)
		}
		for _, info := range infos {
			if err := f.remove(ctx, path.Join(name, info.Name), info, below); err != nil {
				return err
			}
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
