package sftpfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/pkg/sftp"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/posix"
	"kinit/engine/transport/internal/windows"
)

// remote implements the system calls of a machine over SFTP. Each takes one round trip or a
// few. A machine that runs Windows has no permission bits and no numbers of users, and the
// server's have no meaning.
type remote struct {
	source  Source
	fence   string // needed for changes; empty means no condition
	windows bool
}

var _ posix.FS = remote{}

// client is the SFTP client for one request, and the path of the request as the server has it.
type client struct {
	*sftp.Client
	carrier Carrier
	path    string
}

// far returns a path as the server has it: for Windows, OpenSSH's has /C:/folder.
func (r remote) far(name string) string {
	if r.windows {
		return path.Join("/", name)
	}
	return name
}

// ask makes a request that changes nothing. If the connection was lost, it repeats the
// request once over a new one.
func ask[T any](ctx context.Context, r remote, op, path string, request func(client) (T, error)) (T, error) {
	value, err := call(ctx, r, op, path, request)
	if ctx.Err() == nil && errors.Is(err, ErrCut) {
		return call(ctx, r, op, path, request)
	}
	return value, err
}

// call makes one request over the SFTP client of a live connection. The client library
// takes no context, so when ctx ends, the request continues in the background; the carrier
// waits for it when it closes.
func call[T any](ctx context.Context, r remote, op, path string, request func(client) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	c, carrier, err := r.source.Client(ctx)
	if err != nil {
		return none, err
	}
	value, err := life.Await(ctx, carrier.Spawn, pathError(op, path, ErrCut), func() (T, error) {
		value, err := request(client{c, carrier, r.far(path)})
		return value, pathError(op, path, err)
	})
	if errors.Is(err, ErrCut) {
		carrier.Cut(ctx, c)
	}
	return value, err
}

// do is call for requests that change something. Its error has the reason of a failure, as
// far as that can be found out.
func (r remote) do(ctx context.Context, op, path string, request func(client) error) error {
	change := func(path string) error {
		_, err := call(ctx, r, op, path, func(c client) (none struct{}, err error) { return none, explain(c, request(c)) })
		return err
	}
	if r.windows {
		return r.lookFirst(ctx, op, path, change)
	}
	return posix.Through(ctx, r, r.fence, op, path, change)
}

// lookFirst makes a change if the fence is there. SFTP cannot do both at once: a change in the
// short time after the check is still made.
func (r remote) lookFirst(ctx context.Context, op, path string, change func(path string) error) error {
	if r.fence != "" {
		_, err := r.Stat(ctx, r.fence, false)
		if errors.Is(err, fs.ErrNotExist) {
			err = &fs.PathError{Op: op, Path: path, Err: transport.ErrFenced}
		}
		if err != nil {
			return err
		}
	}
	return change(path)
}

// Through returns the same system whose changes need the link, or on Windows the file.
func (r remote) Through(link string) posix.FS {
	r.fence = link
	return r
}

// known returns the answer to a question, or an error where a server answered with success
// alone: the client library then returns neither a value nor an error.
func known[T comparable](value T, err error) (T, error) {
	var none T
	if err == nil && value == none {
		return none, errNothing
	}
	return value, err
}

// described is known for what describes a file.
func described(info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, errNothing
	}
	if stat, ok := info.Sys().(*sftp.FileStat); ok && stat == nil {
		return nil, errNothing
	}
	return info, nil
}

var errNothing = errors.New("the SFTP server answered with success and without what it was asked for")

// pathError adds the operation and the path to an error, as the os package does.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: fileError(posix.Cause(err))}
}

func (r remote) Stat(ctx context.Context, path string, follow bool) (module.FileInfo, error) {
	info, err := ask(ctx, r, "stat", path, func(c client) (fs.FileInfo, error) {
		if follow {
			return described(c.Stat(c.path))
		}
		return described(c.Lstat(c.path))
	})
	if err != nil {
		return module.FileInfo{}, err
	}
	return r.describe(info), nil
}

func (r remote) ReadDir(ctx context.Context, path string) ([]module.FileInfo, error) {
	var many error
	entries, err := ask(ctx, r, "list", path, func(c client) ([]os.FileInfo, error) {
		entries, err := c.ReadDirContext(ctx, c.path)
		if status, ok := errors.AsType[*sftp.StatusError](err); ok && status.Code == statusTooMany {
			many, err = &fs.PathError{Op: "list", Path: path, Err: posix.ErrTooMany}, nil
		}
		return entries, err
	})
	if err != nil {
		return nil, err
	}
	return lists.Map(entries, r.describe), many
}

func (r remote) describe(info fs.FileInfo) module.FileInfo {
	out := module.FileInfo{Name: info.Name(), Size: info.Size(), Mode: info.Mode(), MTime: info.ModTime()}
	if r.windows {
		out.Mode = windows.Mode(out.Mode.Type(), out.Mode&0o200 == 0)
		return out
	}
	if stat, ok := info.Sys().(*sftp.FileStat); ok {
		out.UID, out.GID = stat.UID, stat.GID
	}
	return out
}

func (r remote) Readlink(ctx context.Context, path string) (string, error) {
	target, err := ask(ctx, r, "readlink", path, func(c client) (string, error) { return known(c.ReadLink(c.path)) })
	if r.windows {
		return windows.Near(target), err
	}
	return target, err
}

func (r remote) Mkdir(ctx context.Context, path string) error {
	return r.do(ctx, "mkdir", path, func(c client) error { return c.Mkdir(c.path) })
}

func (r remote) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return r.do(ctx, "chmod", path, func(c client) error { return c.Chmod(c.path, mode) })
}

func (r remote) Chown(ctx context.Context, path string, uid, gid uint32) error {
	return r.do(ctx, "chown", path, func(c client) error { return c.Chown(c.path, int(uid), int(gid)) })
}

func (r remote) Symlink(ctx context.Context, target, path string) error {
	return r.do(ctx, "symlink", path, func(c client) error { return c.Symlink(target, c.path) })
}

func (r remote) Rename(ctx context.Context, from, to string) error {
	if r.windows {
		to = r.far(to)
	} else {
		to = r.fence + to
	}
	return r.do(ctx, "rename", from, func(c client) error {
		if _, ok := c.HasExtension("posix-rename@openssh.com"); ok {
			return c.PosixRename(c.path, to)
		}
		return c.Client.Rename(c.path, to)
	})
}

func (r remote) Remove(ctx context.Context, path string) error {
	return r.do(ctx, "remove", path, func(c client) error { return c.Remove(c.path) })
}

func (r remote) Rmdir(ctx context.Context, path string) error {
	return r.do(ctx, "rmdir", path, func(c client) error { return c.RemoveDirectory(c.path) })
}
