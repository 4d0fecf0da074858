package ssh

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/posix"
	"kinit/engine/transport/internal/windows"
)

// windowsFiles is the file system of a Windows machine: over SFTP, and by scripts for
// access and links, which SFTP does not support. Package windows describes the properties
// of files there.
type windowsFiles struct {
	*posix.Files
	remote posix.FS
	exec   windows.Exec
}

var _ module.Files = windowsFiles{}

func newWindowsFiles(remote posix.FS, exec windows.Exec) windowsFiles {
	return windowsFiles{posix.WithoutAccounts(remote, windows.Clean), remote, exec}
}

func (f windowsFiles) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	name, err := windows.Clean("write", name)
	if err != nil {
		return err
	}
	if err := windows.CheckAttr("write", name, attr); err != nil {
		return err
	}
	if err := f.Files.Write(ctx, name, content, module.Attr{}); err != nil {
		return err
	}
	return f.exec.SetAccess(ctx, name, attr, false)
}

func (f windowsFiles) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	name, err := windows.Clean("mkdir", name)
	if err != nil {
		return err
	}
	if err := f.Files.Mkdir(ctx, name, module.Attr{}); err != nil {
		return err
	}
	return f.exec.SetAccess(ctx, name, attr, true)
}

func (f windowsFiles) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	name, err := windows.Clean("chmod", name)
	if err != nil {
		return err
	}
	info, err := f.Stat(ctx, name)
	if err != nil {
		return err
	}
	return f.exec.SetAccess(ctx, name, attr, info.Mode.IsDir())
}

func (f windowsFiles) Symlink(ctx context.Context, target, name string) error {
	return f.exec.Symlink(ctx, target, name)
}

// Remove deletes files, links and empty folders over SFTP. It removes the contents of a
// folder by a script: not every server distinguishes a folder from a link to one, which
// must not be followed.
func (f windowsFiles) Remove(ctx context.Context, name string) error {
	name, err := windows.CleanRemovable(name)
	if err != nil {
		return err
	}
	err = f.remote.Remove(ctx, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, transport.ErrUnreachable) {
		return err
	}
	return f.exec.Remove(ctx, name)
}

// Folder finds the folder of a path.
func (f windowsFiles) Folder(ctx context.Context, name string) (module.Folder, error) {
	return windows.Folder(ctx, name)
}

// Fenced returns the same files with a check for a file before each change.
func (f windowsFiles) Fenced(file string) module.Files {
	return newWindowsFiles(f.remote.Through(file), f.exec.Fenced(file))
}
