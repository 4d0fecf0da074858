package posix

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
)

// Exec runs a line with /bin/sh on the machine, as transport.Conn does.
type Exec func(ctx context.Context, p transport.Process) (int, error)

// scripts do the work in folders that others can change. They enter each folder and name
// only its direct entries, so that they cannot be redirected by a renamed folder or a link
// in its place.
//
//go:embed scripts
var scripts embed.FS

// codeMissing is the exit code of a script for a missing file.
const codeMissing = 44

// mostSaid is how much, in bytes, is kept of a script's messages.
const mostSaid = 4 << 10

func (f *Files) script(ctx context.Context, op, name, file string, p transport.Process, args ...string) error {
	line, err := scriptLine(file, args)
	if err != nil {
		return err
	}
	said := framing.NewHead(mostSaid)
	p.Line, p.Stderr = line, said
	code, err := f.exec(ctx, p)
	switch {
	case err != nil && (p.Stdout != nil || !errors.Is(err, transport.ErrIncomplete)):
		return fmt.Errorf("%s %s: %w", op, name, err)
	case code == 0:
		return nil
	case code == codeMissing:
		return &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
	}
	return &fs.PathError{Op: op, Path: name, Err: reason(said.String(), code)}
}

func scriptLine(file string, args []string) (string, error) {
	var b strings.Builder
	b.WriteString("export LC_ALL=C PATH=\"$PATH:/usr/sbin:/sbin\"\nset -- " + shell.POSIX(args...) + "\n" + shell.Keep)
	for _, one := range []string{"common", file} {
		text, err := scripts.ReadFile("scripts/" + one + ".sh")
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

// reason returns why a script failed: the message of the last program, which ends with the
// system's error.
func reason(said string, code int) error {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return errors.New("the script ended with code " + strconv.Itoa(code))
	}
	for _, errno := range []syscall.Errno{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EACCES, syscall.EPERM,
		syscall.EEXIST, syscall.EISDIR, syscall.ENOTDIR, syscall.ENOTEMPTY, syscall.EBUSY, syscall.ELOOP, syscall.ENAMETOOLONG,
	} {
		if before, found := cutEnd(last, errno.Error()); found {
			return fmt.Errorf("%s%w", before, errno)
		}
	}
	return errors.New(last)
}

// cutEnd is strings.CutSuffix without regard to case: messages of the C library begin with
// a capital letter, those of Go do not.
func cutEnd(text, end string) (string, bool) {
	if len(text) < len(end) || !strings.EqualFold(text[len(text)-len(end):], end) {
		return text, false
	}
	return text[:len(text)-len(end)], true
}

func (f *Files) self(ctx context.Context) (uint32, error) {
	f.user.Lock()
	defer f.user.Unlock()
	if f.user.known {
		return f.user.id, nil
	}
	out := framing.NewHead(100)
	code, err := f.exec(ctx, transport.Process{Line: "exec id -u", Stdout: out})
	if err != nil {
		return 0, fmt.Errorf("ask for our own user: %w", err)
	}
	id, err := strconv.ParseUint(strings.TrimSpace(out.String()), 10, 32)
	if code != 0 || err != nil {
		return 0, fmt.Errorf("ask for our own user: id ended with code %d and printed %.100q", code, out.String())
	}
	f.user.id, f.user.known = uint32(id), true
	return f.user.id, nil
}

// stream is the output of a script, read as a file.
type stream struct {
	io.Reader
	pipe   *io.PipeReader
	cancel context.CancelFunc
	ended  chan struct{}
}

// open starts a script and returns its output after a first byte, which signals that it has
// begun.
func (f *Files) open(ctx context.Context, name string, args ...string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	from, to := io.Pipe()
	s := &stream{Reader: from, pipe: from, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		err := f.script(ctx, "open", name, "open", transport.Process{Stdout: to}, args...)
		_ = to.CloseWithError(err)
	}()
	first := make([]byte, 1)
	if _, err := io.ReadFull(from, first); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *stream) Close() error {
	_ = s.pipe.Close()
	s.cancel()
	<-s.ended
	return nil
}
