package sftpfs

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/pkg/sftp"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/posix"
)

// remote implements the system calls of a machine over SFTP. Each takes one round trip or a
// few.
type remote struct{ source Source }

var _ posix.FS = remote{}

// ask makes a request that changes nothing. If the connection was lost, it repeats the
// request once over a new one.
func ask[T any](ctx context.Context, r remote, op, path string, request func(*sftp.Client) (T, error)) (T, error) {
	return askCarried(ctx, r, op, path, func(c *sftp.Client, _ Carrier) (T, error) { return request(c) })
}

// askCarried is ask for a request that needs the client's carrier.
func askCarried[T any](ctx context.Context, r remote, op, path string, request func(*sftp.Client, Carrier) (T, error)) (T, error) {
	value, err := call(ctx, r, op, path, request)
	if ctx.Err() == nil && errors.Is(err, ErrCut) {
		return call(ctx, r, op, path, request)
	}
	return value, err
}

// call makes one request over the SFTP client of a live connection. The client library
// takes no context, so when ctx ends, the request continues in the background; the carrier
// waits for it when it closes.
func call[T any](ctx context.Context, r remote, op, path string, request func(*sftp.Client, Carrier) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	client, carrier, err := r.source.Client(ctx)
	if err != nil {
		return none, err
	}
	value, err := life.Await(ctx, carrier.Spawn, pathError(op, path, ErrCut), func() (T, error) {
		value, err := request(client, carrier)
		return value, pathError(op, path, err)
	})
	if errors.Is(err, ErrCut) {
		carrier.Cut(ctx, client)
	}
	return value, err
}

// do is call for requests that change something. Its error has the reason of a failure, as
// far as that can be found out.
func do(ctx context.Context, r remote, op, path string, request func(*sftp.Client) error) error {
	_, err := call(ctx, r, op, path, func(c *sftp.Client, _ Carrier) (struct{}, error) { return struct{}{}, explain(c, path, request(c)) })
	return err
}

// pathError adds the operation and the path to an error, as the os package does.
func pathError(op, path string, err error) error {
	var named *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &named):
		err = named.Err
	}
	return &fs.PathError{Op: op, Path: path, Err: fileError(err)}
}

func (r remote) Stat(ctx context.Context, path string, follow bool) (module.FileInfo, error) {
	info, err := ask(ctx, r, "stat", path, func(c *sftp.Client) (fs.FileInfo, error) {
		if follow {
			return c.Stat(path)
		}
		return c.Lstat(path)
	})
	if err != nil {
		return module.FileInfo{}, err
	}
	return describe(info), nil
}

func (r remote) ReadDir(ctx context.Context, path string) ([]module.FileInfo, error) {
	entries, err := ask(ctx, r, "list", path, func(c *sftp.Client) ([]os.FileInfo, error) { return c.ReadDirContext(ctx, path) })
	if err != nil {
		return nil, err
	}
	return lists.Map(entries, describe), nil
}

func describe(info fs.FileInfo) module.FileInfo {
	out := module.FileInfo{Name: info.Name(), Size: info.Size(), Mode: info.Mode(), MTime: info.ModTime()}
	if stat, ok := info.Sys().(*sftp.FileStat); ok {
		out.UID, out.GID = stat.UID, stat.GID
	}
	return out
}

func (r remote) Readlink(ctx context.Context, path string) (string, error) {
	return ask(ctx, r, "readlink", path, func(c *sftp.Client) (string, error) { return c.ReadLink(path) })
}

func (r remote) Mkdir(ctx context.Context, path string) error {
	return do(ctx, r, "mkdir", path, func(c *sftp.Client) error { return c.Mkdir(path) })
}

func (r remote) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return do(ctx, r, "chmod", path, func(c *sftp.Client) error { return c.Chmod(path, mode) })
}

func (r remote) Chown(ctx context.Context, path string, uid, gid uint32) error {
	return do(ctx, r, "chown", path, func(c *sftp.Client) error { return c.Chown(path, int(uid), int(gid)) })
}

func (r remote) Symlink(ctx context.Context, target, path string) error {
	return do(ctx, r, "symlink", path, func(c *sftp.Client) error { return c.Symlink(target, path) })
}

func (r remote) Rename(ctx context.Context, from, to string) error {
	return do(ctx, r, "rename", from, func(c *sftp.Client) error {
		if _, ok := c.HasExtension("posix-rename@openssh.com"); ok {
			return c.PosixRename(from, to)
		}
		return c.Rename(from, to)
	})
}

func (r remote) Remove(ctx context.Context, path string) error {
	return do(ctx, r, "remove", path, func(c *sftp.Client) error { return c.Remove(path) })
}

func (r remote) Rmdir(ctx context.Context, path string) error {
	return do(ctx, r, "rmdir", path, func(c *sftp.Client) error { return c.RemoveDirectory(path) })
}
