package ssh

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/posix"
)

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

func (l lookingFirst) look(ctx context.Context, op, path string) error {
	_, err := l.FS.Stat(ctx, l.file, false)
	if errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: op, Path: path, Err: transport.ErrFenced}
	}
	return err
}

func (l lookingFirst) Create(ctx context.Context, path string, attr posix.NewFile, content io.Reader) error {
	if err := l.look(ctx, "write", path); err != nil {
		return err
	}
	return l.FS.Create(ctx, path, attr, content)
}

func (l lookingFirst) Mkdir(ctx context.Context, path string) error {
	if err := l.look(ctx, "mkdir", path); err != nil {
		return err
	}
	return l.FS.Mkdir(ctx, path)
}

func (l lookingFirst) Rename(ctx context.Context, from, to string) error {
	if err := l.look(ctx, "rename", from); err != nil {
		return err
	}
	return l.FS.Rename(ctx, from, to)
}

func (l lookingFirst) Remove(ctx context.Context, path string) error {
	if err := l.look(ctx, "remove", path); err != nil {
		return err
	}
	return l.FS.Remove(ctx, path)
}

func (l lookingFirst) Rmdir(ctx context.Context, path string) error {
	if err := l.look(ctx, "remove", path); err != nil {
		return err
	}
	return l.FS.Rmdir(ctx, path)
}
