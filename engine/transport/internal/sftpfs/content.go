package sftpfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"sync"
	"syscall"

	"github.com/pkg/sftp"

	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/posix"
)

// window is how many packets of 32 KiB are sent without an answer while a file is written:
// the library's own default for reading.
const window = 64

// Open reads a file. Reads are made ahead when the content is copied.
func (r remote) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	var carrier Carrier
	file, err := ask(ctx, r, "open", path, func(c client) (*sftp.File, error) {
		carrier = c.carrier
		return known(c.Open(c.path))
	})
	if err != nil {
		return nil, err
	}
	return &opened{ctx: ctx, carrier: carrier, file: file, path: path}, nil
}

// opened is a file that is being read. The client library takes no context, so a goroutine
// that the carrier waits for makes every call. When ctx ends, the call continues in the
// background.
type opened struct {
	ctx     context.Context // of the Open: its end also ends reading
	carrier Carrier
	file    *sftp.File
	path    string
}

// read makes a call, unless ctx ends first.
func (o *opened) read(call func() ([]byte, error)) ([]byte, error) {
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	data, err := life.Await(o.ctx, o.carrier.Spawn, ErrCut, call)
	if err == io.EOF || o.ctx.Err() != nil {
		return data, err
	}
	return data, pathError("read", o.path, err)
}

// largestRead is the most, in bytes, that one Read asks for.
const largestRead = 1 << 20

func (o *opened) Read(b []byte) (int, error) {
	size := min(len(b), largestRead)
	data, err := o.read(func() ([]byte, error) {
		own := make([]byte, size) // the caller may reuse its buffer before the answer comes
		n, err := o.file.Read(own)
		return own[:n], err
	})
	return copy(b, data), err
}

// WriteTo copies with many requests at the same time; io.Copy uses it.
func (o *opened) WriteTo(w io.Writer) (int64, error) {
	to := &lent{ctx: o.ctx, to: w}
	_, err := o.read(func() ([]byte, error) {
		_, err := o.file.WriteTo(to)
		return nil, err
	})
	return to.takeBack(), err
}

// Close does not wait for the server once ctx has ended.
func (o *opened) Close() error {
	closed := func() (none struct{}, err error) { return none, o.file.Close() }
	_, err := life.Await(o.ctx, o.carrier.Spawn, nil, closed) // the server's end closes it too
	if o.ctx.Err() != nil {
		return nil
	}
	return pathError("close", o.path, err)
}

// lent is a caller's writer, which may be taken back while the server is silent. Its Write
// returns ctx's error after ctx has ended.
type lent struct {
	ctx context.Context
	mu  sync.Mutex
	to  io.Writer // nil after it was taken back
	n   int64     // bytes written
}

func (l *lent) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.to == nil {
		return 0, net.ErrClosed
	}
	n, err := l.to.Write(b)
	l.n += int64(n)
	return n, err
}

// takeBack gives the writer back to the caller and returns how much was written.
func (l *lent) takeBack() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = nil
	return l.n
}

// Private is false: the client library creates a new file without a mode.
func (r remote) Private() bool { return false }

// Create makes a new file, sets its owner and mode by its handle before its content, and
// waits until it is on disk if the server supports that. On Windows it has neither.
func (r remote) Create(ctx context.Context, path string, attr posix.NewFile, content io.Reader) error {
	if r.windows {
		attr = posix.NewFile{UID: -1, GID: -1}
	}
	return r.do(ctx, "write", path, func(c client) error {
		file, err := known(c.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL))
		if err != nil {
			return err
		}
		err = fill(ctx, c, file, attr, content)
		return errors.Join(err, file.Close())
	})
}

func fill(ctx context.Context, c client, file *sftp.File, attr posix.NewFile, content io.Reader) error {
	if err := setOwner(file, attr); err != nil {
		return err
	}
	if err := setMode(file, attr.Mode); err != nil {
		return err
	}
	if err := pour(file, posix.Reader(ctx, content)); err != nil {
		return err
	}
	if attr.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 { // writes by other users than root clear these
		if err := setMode(file, attr.Mode); err != nil {
			return err
		}
	}
	if _, ok := c.HasExtension("fsync@openssh.com"); ok {
		return file.Sync()
	}
	return nil
}

// setOwner sets a file's owner. The protocol sets user and group together.
func setOwner(file *sftp.File, attr posix.NewFile) error {
	if attr.UID < 0 && attr.GID < 0 {
		return nil
	}
	if attr.UID < 0 || attr.GID < 0 {
		info, err := described(file.Stat())
		if err != nil {
			return err
		}
		now := remote{}.describe(info)
		if attr.UID < 0 {
			attr.UID = int64(now.UID)
		}
		if attr.GID < 0 {
			attr.GID = int64(now.GID)
		}
	}
	return file.Chown(int(attr.UID), int(attr.GID))
}

// setMode sets a file's mode, if there is one.
func setMode(file *sftp.File, mode fs.FileMode) error {
	if mode == 0 {
		return nil
	}
	return file.Chmod(mode)
}

// pour copies the content. Content of one packet is one request; more is sent with many
// requests at the same time.
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

// explain finds out why a request failed, which the server does not report: a full disk is
// the most frequent reason.
func explain(c client, err error) error {
	status, ok := errors.AsType[*sftp.StatusError](err)
	if !ok || status.FxCode() != sftp.ErrSSHFxFailure {
		return err
	}
	system, failed := known(c.StatVFS(path.Dir(c.path)))
	if failed != nil {
		return err
	}
	switch {
	case system.Flag&readOnly != 0:
		return syscall.EROFS
	case system.Files > 0 && system.Favail == 0:
		return fmt.Errorf("no inodes are left: %w", syscall.ENOSPC)
	case system.Bavail*system.Frsize < fullBelow:
		return syscall.ENOSPC
	}
	return err
}

// readOnly is the flag SSH_FXE_STATVFS_ST_RDONLY.
const readOnly = 1

// fullBelow is the space, in bytes, with which a file system counts as full after a write
// has failed: less than the data of one packet.
const fullBelow = 64 << 10
