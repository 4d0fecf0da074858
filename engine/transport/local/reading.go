package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"kinit/engine/module"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/posix"
)

// await makes a call that may hang, as one of a network file system whose server is away, or
// the opening of a named pipe. If ctx ends first, the call goes on without its caller: a
// process has no way to end it.
func await[T any](ctx context.Context, call func() (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	return life.Await(ctx, func(work func()) bool { go work(); return true }, nil, call)
}

func (system) Stat(ctx context.Context, path string, follow bool) (module.FileInfo, error) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	return await(ctx, func() (module.FileInfo, error) {
		info, err := stat(path)
		if err != nil {
			return module.FileInfo{}, err
		}
		return describe(info), nil
	})
}

func (system) Readlink(ctx context.Context, path string) (string, error) {
	return await(ctx, func() (string, error) { return os.Readlink(path) })
}

// Open reads a file. The end of ctx closes it, which also ends a Read of a named pipe.
func (system) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	file, err := await(ctx, func() (*os.File, error) {
		file, err := os.Open(path)
		if err == nil && ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), file.Close())
		}
		return file, err
	})
	if err != nil {
		return nil, err // not a nil *os.File in a non-nil interface
	}
	return &opened{File: file, ctx: ctx, stop: context.AfterFunc(ctx, func() { _ = file.Close() })}, nil
}

// opened is a file that is read until ctx ends.
type opened struct {
	*os.File
	ctx  context.Context
	stop func() bool
}

// Read returns ctx's error after ctx has ended.
func (o *opened) Read(b []byte) (int, error) {
	n, err := o.File.Read(b)
	if err != nil && o.ctx.Err() != nil {
		return n, o.ctx.Err()
	}
	return n, err
}

// Close closes the file, unless the end of ctx has done so.
func (o *opened) Close() error {
	if !o.stop() {
		return nil
	}
	return o.File.Close()
}

func (system) ReadDir(ctx context.Context, path string) ([]module.FileInfo, error) {
	return await(ctx, func() ([]module.FileInfo, error) { return list(ctx, path, posix.MostListed) })
}

// listedAtOnce is how many entries are read before ctx is asked again.
const listedAtOnce = 1000

// list describes the entries of a folder, until they take more memory than most, in bytes.
func list(ctx context.Context, path string, most int) ([]module.FileInfo, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var infos []module.FileInfo
	for size := 0; ; {
		entries, err := folder.ReadDir(listedAtOnce)
		if errors.Is(err, io.EOF) {
			return infos, nil
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed in between
			}
			if err != nil {
				return nil, err
			}
			infos = append(infos, describe(info))
			if size += posix.Size(infos[len(infos)-1:]); size > most {
				return infos, &fs.PathError{Op: "list", Path: path, Err: posix.ErrTooMany}
			}
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
}
