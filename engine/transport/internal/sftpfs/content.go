package sftpfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/pkg/sftp"

	"kinit/engine/transport/internal/posix"
)

// window is how many packets of 32 KiB are under way at once while a file is
// written: the library's own default for reading.
const window = 64

// Open reads a file. Reads are made ahead when the content is copied.
func (r remote) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	file, err := ask(ctx, r, "open", path, func(c *sftp.Client) (*sftp.File, error) { return c.Open(path) })
	if err != nil {
		return nil, err
	}
	return opened{ctx: ctx, file: file, path: path}, nil
}

// opened is a file that is read.
type opened struct {
	ctx  context.Context // of the Open: it ends the reading too
	file *sftp.File
	path string
}

func (o opened) Read(b []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := o.file.Read(b)
	return n, o.failed(err)
}

// WriteTo copies with many requests under way; io.Copy uses it.
func (o opened) WriteTo(w io.Writer) (int64, error) {
	n, err := o.file.WriteTo(writer{o.ctx, w})
	return n, o.failed(err)
}

func (o opened) failed(err error) error {
	if err == nil || err == io.EOF || o.ctx.Err() != nil {
		return err
	}
	return pathError("read", o.path, err)
}

func (o opened) Close() error { return pathError("close", o.path, o.file.Close()) }

// writer gives ctx's error once ctx has ended.
type writer struct {
	ctx context.Context
	to  io.Writer
}

func (w writer) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(b)
}

// Private is false: the client library gives a new file no mode when it makes it.
func (r remote) Private() bool { return false }

// Create makes a new file, gives it its owner and mode by its handle before its content,
// and waits until it is on disk where the server can do that.
func (r remote) Create(ctx context.Context, path string, attr posix.NewFile, content io.Reader) error {
	return do(ctx, r, "write", path, func(c *sftp.Client) error {
		file, err := c.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return err
		}
		err = fill(ctx, c, file, attr, content)
		return errors.Join(err, file.Close())
	})
}

func fill(ctx context.Context, c *sftp.Client, file *sftp.File, attr posix.NewFile, content io.Reader) error {
	if err := setOwner(file, attr); err != nil {
		return err
	}
	if err := setMode(file, attr.Mode); err != nil {
		return err
	}
	if err := pour(file, posix.Reader(ctx, content)); err != nil {
		return err
	}
	if attr.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 { // writes of a user who is not root clear these
		if err := setMode(file, attr.Mode); err != nil {
			return err
		}
	}
	if _, ok := c.HasExtension("fsync@openssh.com"); ok {
		return file.Sync()
	}
	return nil
}

// setOwner gives a file its owner. The protocol sets user and group together.
func setOwner(file *sftp.File, attr posix.NewFile) error {
	if attr.UID < 0 && attr.GID < 0 {
		return nil
	}
	if attr.UID < 0 || attr.GID < 0 {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		now := describe(info)
		if attr.UID < 0 {
			attr.UID = int64(now.UID)
		}
		if attr.GID < 0 {
			attr.GID = int64(now.GID)
		}
	}
	return file.Chown(int(attr.UID), int(attr.GID))
}

// setMode gives a file its mode, where there is one to give.
func setMode(file *sftp.File, mode fs.FileMode) error {
	if mode == 0 {
		return nil
	}
	return file.Chmod(mode)
}

// pour copies the content. What fits into one packet is one request; more is sent
// with many requests under way.
func pour(file *sftp.File, content io.Reader) error {
	first := make([]byte, 32<<10)
	n, err := io.ReadFull(content, first)
	switch err {
	case nil:
		_, err = file.ReadFromWithConcurrency(io.MultiReader(bytes.NewReader(first), content), window)
	case io.EOF:
		return nil
	case io.ErrUnexpectedEOF:
		_, err = file.Write(first[:n])
	}
	return err
}
