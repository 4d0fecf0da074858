package roottest

import (
	"context"
	"io"

	"kinit/engine/module"
)

// files is the files below another root. A link that leads to an absolute path
// leads out of it.
type files struct {
	real module.Files
	root string
}

func (f files) Stat(ctx context.Context, path string) (module.FileInfo, error) {
	return f.real.Stat(ctx, f.root+path)
}

func (f files) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	return f.real.Open(ctx, f.root+path)
}

func (f files) Write(ctx context.Context, path string, content io.Reader, attr module.Attr) error {
	return f.real.Write(ctx, f.root+path, content, attr)
}

func (f files) Mkdir(ctx context.Context, path string, attr module.Attr) error {
	return f.real.Mkdir(ctx, f.root+path, attr)
}

func (f files) SetAttr(ctx context.Context, path string, attr module.Attr) error {
	return f.real.SetAttr(ctx, f.root+path, attr)
}

func (f files) Symlink(ctx context.Context, target, path string) error {
	return f.real.Symlink(ctx, target, f.root+path)
}

func (f files) Remove(ctx context.Context, path string) error {
	return f.real.Remove(ctx, f.root+path)
}

func (f files) Rename(ctx context.Context, from, to string) error {
	return f.real.Rename(ctx, f.root+from, f.root+to)
}

func (f files) List(ctx context.Context, path string) ([]module.FileInfo, error) {
	return f.real.List(ctx, f.root+path)
}

var _ module.Files = files{}
