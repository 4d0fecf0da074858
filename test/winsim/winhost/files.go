package winhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
)

// files is module.Files on the machine. Of modes it knows what they mean on Windows: a
// folder that only its owner may enter is closed to all but the system and the
// administrators.
type files struct{ m *machine.Machine }

var _ module.Files = files{}

// check refuses a context that has ended and a path with backslashes.
func check(ctx context.Context, op, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.Contains(name, `\`) {
		return &fs.PathError{Op: op, Path: name, Err: errors.New("write the path with / instead of \\")}
	}
	return nil
}

func info(i ntfs.Info) module.FileInfo {
	out := module.FileInfo{Name: i.Name, Size: i.Size, MTime: i.Modified, Mode: 0o666, Target: strings.ReplaceAll(i.Target, `\`, "/")}
	switch {
	case i.Target != "":
		out.Mode, out.Size = fs.ModeSymlink|0o777, 0
	case i.IsDir():
		out.Mode, out.Size = fs.ModeDir|0o777, 0
	case i.Attributes&ntfs.ReadOnly != 0:
		out.Mode = 0o444
	}
	return out
}

// Stat describes a file and does not follow a link.
func (f files) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	if err := check(ctx, "stat", name); err != nil {
		return module.FileInfo{}, err
	}
	i, err := f.m.Files.Stat(name)
	if err != nil {
		return module.FileInfo{}, winerr.Plain("stat", name, err)
	}
	out := info(i)
	out.Name = path.Base(name)
	return out, nil
}

// Open reads a file.
func (f files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := check(ctx, "open", name); err != nil {
		return nil, err
	}
	file, err := f.m.Files.Open(name, ntfs.Existing, ntfs.Reading, ntfs.ShareRead|ntfs.ShareWrite)
	if err != nil {
		return nil, winerr.Plain("open", name, err)
	}
	return file, nil
}

// Write replaces a file's content: temporary name, rename. The old file lends its access
// list.
func (f files) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	if err := check(ctx, "write", name); err != nil {
		return err
	}
	temporary := name + ".kinit-new"
	file, err := f.m.Files.Open(temporary, ntfs.Create, ntfs.Writing, ntfs.ShareNone)
	if err != nil {
		return winerr.Plain("write", name, err)
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.put(temporary, name)
	}
	if err != nil {
		return errors.Join(winerr.Plain("write", name, err), f.m.Files.Remove(temporary, true))
	}
	return f.access("write", name, attr)
}

func (f files) put(from, to string) error {
	old, err := f.m.Files.Stat(to)
	if err != nil || old.Target != "" {
		return f.m.Files.Rename(from, to, true)
	}
	return f.m.Files.Replace(from, to)
}

// access does what Attr means on Windows.
func (f files) access(op, name string, attr module.Attr) error {
	if attr.Group != "" {
		return &fs.PathError{Op: op, Path: name, Err: errors.New("files on Windows have no group to set")}
	}
	s, err := f.m.Files.Security(name)
	if err != nil {
		return winerr.Plain(op, name, err)
	}
	i, err := f.m.Files.Stat(name)
	if err != nil {
		return winerr.Plain(op, name, err)
	}
	private := i.IsDir() && attr.Mode != 0 && attr.Mode&0o077 == 0
	if private {
		s.Protected = true
		s.Entries = []ntfs.Entry{
			{SID: "S-1-5-18", Rights: ntfs.FullControl, Files: true, Folders: true},
			{SID: "S-1-5-32-544", Rights: ntfs.FullControl, Files: true, Folders: true},
		}
	}
	if attr.Owner != "" {
		if s.Owner = f.m.Accounts.SID(strings.TrimPrefix(attr.Owner, "*")); s.Owner == "" {
			return &fs.PathError{Op: op, Path: name, Err: fmt.Errorf("there is no account %s", attr.Owner)}
		}
	}
	if !private && attr.Owner == "" {
		return nil
	}
	return winerr.Plain(op, name, f.m.Files.SetSecurity(name, s))
}

// Mkdir makes a folder and its missing parents.
func (f files) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	if err := check(ctx, "mkdir", name); err != nil {
		return err
	}
	if err := f.m.Files.Mkdir(name); err != nil {
		return winerr.Plain("mkdir", name, err)
	}
	return f.access("mkdir", name, attr)
}

// SetAttr sets the owner, and closes a folder to others.
func (f files) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	if err := check(ctx, "chmod", name); err != nil {
		return err
	}
	return f.access("chmod", name, attr)
}

// Symlink makes a link, replacing an older one.
func (f files) Symlink(ctx context.Context, target, name string) error {
	if err := check(ctx, "symlink", name); err != nil {
		return err
	}
	if old, err := f.m.Files.Stat(name); err == nil && old.Target != "" {
		if err := f.m.Files.Remove(name, true); err != nil {
			return winerr.Plain("symlink", name, err)
		}
	}
	return winerr.Plain("symlink", name, f.m.Files.Link(name, target, ntfs.SymbolicLink))
}

// Remove deletes a file, a link, or a folder with all in it.
func (f files) Remove(ctx context.Context, name string) error {
	if err := check(ctx, "remove", name); err != nil {
		return err
	}
	err := winerr.Plain("remove", name, f.m.Files.RemoveAll(name, true))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rename moves a file, replacing the target.
func (f files) Rename(ctx context.Context, from, to string) error {
	if err := check(ctx, "rename", from+to); err != nil {
		return err
	}
	i, err := f.m.Files.Stat(from)
	if err == nil && !i.IsDir() {
		err = f.put(from, to)
	} else if err == nil {
		err = f.m.Files.Rename(from, to, true)
	}
	return winerr.Plain("rename", from, err)
}

// List describes what is in a folder, by name.
func (f files) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	if err := check(ctx, "list", name); err != nil {
		return nil, err
	}
	entries, err := f.m.Files.List(name)
	if err != nil {
		return nil, winerr.Plain("list", name, err)
	}
	var infos []module.FileInfo
	for _, entry := range entries {
		infos = append(infos, info(entry))
	}
	return infos, nil
}

// Folder finds the folder of a path.
func (f files) Folder(ctx context.Context, name string) (module.Folder, error) {
	return module.Folder{Path: path.Dir(name), Closed: true}, check(ctx, "stat", name)
}
