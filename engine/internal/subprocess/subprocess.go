// Package subprocess runs programs of this machine whose output kinit reads.
package subprocess

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long the streams of a program may stay open after it has ended: a process that left its group may hold
// them.
const patience = time.Second / 2

// mostSaid is how many bytes of a program's standard error are kept.
const mostSaid = 4 << 10

// Program is a program and what it gets.
type Program struct {
	Argv    []string
	Environ []string // KEY=value pairs; those of this process if nil
	Most    int      // the most that it may print, in bytes
}

// Output runs the program in an empty private folder, so that relative names lead to no other user's files, and in a
// process group of its own, which ends with the context. It returns what the program printed, and the end of what it said
// on standard error. The error is that of the context, or of too much output, or exec.ErrWaitDelay if other processes held
// its streams, or says how the program ended.
func (p Program) Output(ctx context.Context) (printed []byte, said string, err error) {
	folder, err := os.MkdirTemp("", "kinit-program-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(folder)
	out, last := &limited{most: p.Most}, &Tail{}
	cmd := exec.CommandContext(ctx, p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, p.Environ, out, last
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = patience
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case out.full: // that it failed to write is only the consequence
		err = fmt.Errorf("it printed more than %d bytes", p.Most)
	}
	return out.text, last.String(), err
}

// limited keeps what is written to it, and fails when that exceeds the limit. It embeds no bytes.Buffer, whose ReadFrom would be
// called in place of Write.
type limited struct {
	text []byte
	most int
	full bool
}

// Write keeps p if there is room for it.
func (l *limited) Write(p []byte) (int, error) {
	if l.full = len(l.text)+len(p) > l.most; l.full {
		return 0, io.ErrShortWrite
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

// Tail keeps the last 4 KiB of what is written to it. It is safe for use by several goroutines.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the end of everything so far.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-mostSaid):]
	return len(p), nil
}

// String returns the text without spaces around it and without a full stop at its end, for the end of a message.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSuffix(strings.TrimSpace(string(t.text)), ".")
}
