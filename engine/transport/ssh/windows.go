package ssh

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/posix"
	"kinit/engine/transport/internal/sftpfs"
	"kinit/engine/transport/internal/windows"
)

// windowsFiles is the file system of a Windows machine: over SFTP, and by scripts for
// access and links, which SFTP does not support. Package windows describes the properties
// of files there.
type windowsFiles struct {
	remote windowsRemote
	sftp   *posix.Files
	exec   windows.Exec
}

var _ module.Files = windowsFiles{}

func newWindowsFiles(c *Conn) windowsFiles {
	system := windowsRemote{sftpfs.FS(fileSource{c})}
	return windowsFiles{remote: system, sftp: posix.WithoutAccounts(system), exec: c.Exec}
}

// outward converts a path to the form of OpenSSH's SFTP server for Windows: /C:/folder.
func outward(op, name string) (string, error) {
	name, err := windows.Clean(op, name)
	return "/" + name, err
}

// inward replaces the path in an error by the caller's form.
func inward(err error) error {
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: named.Op, Path: strings.TrimPrefix(named.Path, "/"), Err: named.Err}
	}
	return err
}

func (f windowsFiles) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	far, err := outward("stat", name)
	if err != nil {
		return module.FileInfo{}, err
	}
	info, err := f.sftp.Stat(ctx, far)
	info.Name = path.Base(far)
	return info, inward(err)
}

func (f windowsFiles) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	far, err := outward("open", name)
	if err != nil {
		return nil, err
	}
	file, err := f.sftp.Open(ctx, far)
	return file, inward(err)
}

func (f windowsFiles) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	far, err := outward("list", name)
	if err != nil {
		return nil, err
	}
	infos, err := f.sftp.List(ctx, far)
	return infos, inward(err)
}

func (f windowsFiles) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	far, err := outward("write", name)
	if err != nil {
		return err
	}
	if err := windows.CheckAttr("write", name, attr); err != nil {
		return err
	}
	if err := f.sftp.Write(ctx, far, content, module.Attr{}); err != nil {
		return inward(err)
	}
	return windows.SetAccess(ctx, f.exec, far[1:], attr, false)
}

func (f windowsFiles) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	far, err := outward("mkdir", name)
	if err != nil {
		return err
	}
	if err := f.sftp.Mkdir(ctx, far, module.Attr{}); err != nil {
		return inward(err)
	}
	return windows.SetAccess(ctx, f.exec, far[1:], attr, true)
}

func (f windowsFiles) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	far, err := outward("chmod", name)
	if err != nil {
		return err
	}
	info, err := f.sftp.Stat(ctx, far)
	if err != nil {
		return inward(err)
	}
	return windows.SetAccess(ctx, f.exec, far[1:], attr, info.Mode.IsDir())
}

func (f windowsFiles) Symlink(ctx context.Context, target, name string) error {
	return windows.Symlink(ctx, f.exec, target, name)
}

// Remove deletes files, links and empty folders over SFTP. It removes the contents of a
// folder by a script: not every server distinguishes a folder from a link to one, which
// must not be followed.
func (f windowsFiles) Remove(ctx context.Context, name string) error {
	name, err := windows.CleanRemovable(name)
	if err != nil {
		return err
	}
	err = f.remote.Remove(ctx, "/"+name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, transport.ErrUnreachable) {
		return inward(err)
	}
	return windows.Remove(ctx, f.exec, name)
}

// Folder finds the folder of a path.
func (f windowsFiles) Folder(ctx context.Context, name string) (module.Folder, error) {
	return windows.Folder(ctx, name)
}

func (f windowsFiles) Rename(ctx context.Context, from, to string) error {
	farFrom, err := outward("rename", from)
	if err != nil {
		return err
	}
	farTo, err := outward("rename", to)
	if err != nil {
		return err
	}
	return inward(f.sftp.Rename(ctx, farFrom, farTo))
}

// windowsRemote is the system calls of a Windows machine. Its server returns permission
// bits and owners without a meaning.
type windowsRemote struct{ posix.FS }

var _ posix.FS = windowsRemote{}

func (r windowsRemote) Stat(ctx context.Context, path string, follow bool) (module.FileInfo, error) {
	info, err := r.FS.Stat(ctx, path, follow)
	return plainInfo(info), err
}

func (r windowsRemote) ReadDir(ctx context.Context, path string) ([]module.FileInfo, error) {
	infos, err := r.FS.ReadDir(ctx, path)
	for i, info := range infos {
		infos[i] = plainInfo(info)
	}
	return infos, err
}

// Readlink returns the target in the form of kinit's paths.
func (r windowsRemote) Readlink(ctx context.Context, path string) (string, error) {
	target, err := r.FS.Readlink(ctx, path)
	target = strings.ReplaceAll(target, `\`, "/")
	if len(target) > 2 && target[0] == '/' && target[2] == ':' {
		target = target[1:]
	}
	return target, err
}

// Create makes a file without giving it a mode.
func (r windowsRemote) Create(ctx context.Context, path string, _ posix.NewFile, content io.Reader) error {
	return r.FS.Create(ctx, path, posix.NewFile{UID: -1, GID: -1}, content)
}

// Chmod does nothing, since there are no permission bits.
func (r windowsRemote) Chmod(context.Context, string, fs.FileMode) error { return nil }

// Chown is never called: no account is known.
func (r windowsRemote) Chown(_ context.Context, path string, _, _ uint32) error {
	return &fs.PathError{Op: "chown", Path: path, Err: errors.ErrUnsupported}
}

func plainInfo(info module.FileInfo) module.FileInfo {
	info.Mode = windows.Mode(info.Mode.Type(), info.Mode&0o200 == 0)
	info.UID, info.GID = 0, 0
	return info
}

// Fenced returns the same files with a check for a file before each change. SFTP cannot do
// both at once: a change in the short time after the check is still made.
func (f windowsFiles) Fenced(file string) module.Files {
	system := windowsRemote{lookingFirst{f.remote.FS, "/" + file}}
	return windowsFiles{remote: system, sftp: posix.WithoutAccounts(system), exec: f.exec.Fenced(file)}
}

// lookingFirst is an FS that checks for a file before each change.
type lookingFirst struct {
	posix.FS
	file string
}

// look makes a change if the file is there.
func (l lookingFirst) look(ctx context.Context, op, path string, change func() error) error {
	_, err := l.FS.Stat(ctx, l.file, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fs.PathError{Op: op, Path: path, Err: transport.ErrFenced}
	case err != nil:
		return err
	}
	return change()
}

func (l lookingFirst) Create(ctx context.Context, path string, attr posix.NewFile, content io.Reader) error {
	return l.look(ctx, "write", path, func() error { return l.FS.Create(ctx, path, attr, content) })
}

func (l lookingFirst) Mkdir(ctx context.Context, path string) error {
	return l.look(ctx, "mkdir", path, func() error { return l.FS.Mkdir(ctx, path) })
}

func (l lookingFirst) Rename(ctx context.Context, from, to string) error {
	return l.look(ctx, "rename", from, func() error { return l.FS.Rename(ctx, from, to) })
}

func (l lookingFirst) Remove(ctx context.Context, path string) error {
	return l.look(ctx, "remove", path, func() error { return l.FS.Remove(ctx, path) })
}

func (l lookingFirst) Rmdir(ctx context.Context, path string) error {
	return l.look(ctx, "remove", path, func() error { return l.FS.Rmdir(ctx, path) })
}
