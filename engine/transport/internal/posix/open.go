package posix

import (
	"context"
	"io"
	"path"
)

// Open reads a file. In a folder that another user can change, it must be a regular
// file and no link.
//
// If the folder was found closed before, the check runs while the file is opened, to save
// time; the file is used only if the folder is still closed.
func (f *Files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	name, err := f.clean("open", name)
	if err != nil {
		return nil, err
	}
	if !f.shared() || name == "/" {
		return f.fs.Open(ctx, name)
	}
	if _, quiet := f.quiet.Load(path.Dir(name)); quiet {
		return f.openAhead(ctx, name)
	}
	return f.openAt(ctx, name)
}

// openAt checks the folder first.
func (f *Files) openAt(ctx context.Context, name string) (io.ReadCloser, error) {
	p, err := f.find(ctx, "open", name, true)
	if err != nil {
		return nil, err
	}
	if p.open != "" {
		return f.open(ctx, name, p.dir(), p.base())
	}
	f.quiet.Store(p.dir(), true)
	return f.fs.Open(ctx, p.name)
}

// openAhead checks the folder and opens the file at the same time.
func (f *Files) openAhead(ctx context.Context, name string) (io.ReadCloser, error) {
	type result struct {
		file io.ReadCloser
		err  error
	}
	opened := make(chan result, 1)
	go func() {
		file, err := f.fs.Open(ctx, name)
		opened <- result{file, err}
	}()
	p, err := f.locate(ctx, "open", name, false)
	r := <-opened
	if err == nil && p.open == "" && p.there && p.info.Mode.IsRegular() && p.name == name {
		return r.file, r.err
	}
	if r.err == nil {
		_ = r.file.Close()
	}
	if err != nil {
		return nil, err
	}
	if p.open != "" {
		f.quiet.Delete(path.Dir(name))
	}
	return f.openAt(ctx, name)
}

// Reader returns a reader that returns ctx's error after ctx has ended. It does not
// interrupt a Read in progress.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	return reader{ctx: ctx, from: r}
}

type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}
