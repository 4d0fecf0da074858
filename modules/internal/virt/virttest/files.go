package virttest

import (
	"context"
	"io"
	"path/filepath"

	"kinit/engine/module"
)

// rebased gives the files below another root.
type rebased struct {
	module.Files
	root string
}

func (r rebased) at(path string) string { return filepath.Join(r.root, path) }

func (r rebased) Stat(ctx context.Context, path string) (module.FileInfo, error) {
	return r.Files.Stat(ctx, r.at(path))
}

func (r rebased) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	return r.Files.Open(ctx, r.at(path))
}

func (r rebased) Write(ctx context.Context, path string, content io.Reader, attr module.Attr) error {
	return r.Files.Write(ctx, r.at(path), content, attr)
}

func (r rebased) Mkdir(ctx context.Context, path string, attr module.Attr) error {
	return r.Files.Mkdir(ctx, r.at(path), attr)
}

func (r rebased) SetAttr(ctx context.Context, path string, attr module.Attr) error {
	return r.Files.SetAttr(ctx, r.at(path), attr)
}

func (r rebased) Symlink(ctx context.Context, target, path string) error {
	return r.Files.Symlink(ctx, target, r.at(path))
}

func (r rebased) Remove(ctx context.Context, path string) error {
	return r.Files.Remove(ctx, r.at(path))
}

func (r rebased) Rename(ctx context.Context, from, to string) error {
	return r.Files.Rename(ctx, r.at(from), r.at(to))
}

func (r rebased) List(ctx context.Context, path string) ([]module.FileInfo, error) {
	return r.Files.List(ctx, r.at(path))
}
