package moduletest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
)

// Local is the machine the test runs on. Dir is its private folder: tests write only there,
// and the suite compares it before and after a dry run.
type Local struct {
	ledger
	files module.Files
	Dir   string
}

// LocalHost returns the real machine as a host named "localhost". owner may be
// empty.
func LocalHost(t testing.TB, owner string) *Local {
	t.Helper()
	conn := local.New()
	t.Cleanup(func() { _ = conn.Close() })
	return &Local{ledger: ledger{name: "localhost", owner: owner}, files: filesOf(t, conn), Dir: t.TempDir()}
}

func filesOf(t testing.TB, conn transport.Conn) module.Files {
	t.Helper()
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatalf("open the machine's files: %v", err)
	}
	return files
}

// Path returns a path in Dir.
func (l *Local) Path(parts ...string) string {
	return filepath.Join(append([]string{l.Dir}, parts...)...)
}

// Run starts the command in a new process group and waits for it. When ctx ends, the whole
// group is killed.
func (l *Local) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if err := ctx.Err(); err != nil {
		return module.Output{}, err
	}
	var stdout, stderr bytes.Buffer
	show := &LineWriter{Call: c.Line}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Env = c.Dir, c.Stdin, environment(c.Env)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, show), io.MultiWriter(&stderr, show)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	start := time.Now()
	err := cmd.Run()
	out := module.Output{Stdout: stdout.String(), Stderr: stderr.String(), Duration: time.Since(start)}
	return out, l.failure(ctx, c, out, err)
}

// failure converts errors of exec to those of the contract. A program that cannot be
// started ends with 127, as in a shell.
func (l *Local) failure(ctx context.Context, c module.Command, out module.Output, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	fail := &module.ExitError{
		Command: l.Redact(shell.POSIX(c.Argv...)), Code: 127,
		Stdout: l.Redact(out.Stdout), Stderr: l.Redact(out.Stderr),
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		fail.Stderr = err.Error()
		return fail
	}
	fail.Code = exit.ExitCode()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		fail.Code = 128 + int(status.Signal())
	}
	return fail
}

func environment(extra map[string]string) []string {
	env := []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for name, value := range extra {
		env = append(env, name+"="+value)
	}
	return env
}

// LineWriter calls a function, if there is one, with each whole line. Both streams of a program
// write to it.
type LineWriter struct {
	Call func(string)

	mu   sync.Mutex
	rest string
}

// Write takes output in pieces.
func (w *LineWriter) Write(p []byte) (int, error) {
	if w.Call == nil {
		return len(p), nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest += string(p)
	for {
		line, rest, found := strings.Cut(w.rest, "\n")
		if !found {
			return len(p), nil
		}
		w.rest = rest
		w.Call(strings.TrimSuffix(line, "\r"))
	}
}

// Files returns the machine's files.
func (l *Local) Files() module.Files { return l.files }

// Dial connects from this machine.
func (l *Local) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

// Socket returns the path itself: it is local already.
func (l *Local) Socket(ctx context.Context, path string) (string, error) {
	return path, ctx.Err()
}

// Snapshot lists everything in Dir, with modes, times and contents, and the marks.
func (l *Local) Snapshot() string {
	var b strings.Builder
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(path)
		content, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s %d %q %q\n", path, info.Mode(), info.ModTime().UnixNano(), target, content)
		return nil
	}
	if err := filepath.WalkDir(l.Dir, walk); err != nil {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	return b.String() + l.markLines()
}

var _ module.Host = (*Local)(nil)

// Slow returns a host that is pace times slower than an ordinary machine. Its pace is known
// after a measurement.
func Slow(h module.Host, pace float64) module.Host { return &slow{Host: h, pace: pace, known: 1} }

type slow struct {
	module.Host
	pace float64

	mu    sync.Mutex
	known float64
}

func (s *slow) Pace() float64 { return s.Note(0) }

func (s *slow) Measure(context.Context) float64 { return s.Note(s.pace) }

func (s *slow) Note(found float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = max(s.known, found)
	return s.known
}
