package moduletest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	conn  transport.Conn
	files module.Files
	Dir   string
}

// LocalHost returns the real machine as a host named "localhost". owner may be
// empty.
func LocalHost(t testing.TB, owner string) *Local {
	t.Helper()
	conn := local.New()
	t.Cleanup(func() { _ = conn.Close() })
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatalf("open the machine's files: %v", err)
	}
	return &Local{ledger: ledger{name: "localhost", owner: owner}, conn: conn, files: files, Dir: t.TempDir()}
}

// Path returns a path in Dir.
func (l *Local) Path(parts ...string) string {
	return filepath.Join(append([]string{l.Dir}, parts...)...)
}

// Run runs a command in a process group of its own, as a run on this machine does.
func (l *Local) Run(ctx context.Context, c module.Command) (module.Output, error) {
	var stdout, stderr bytes.Buffer
	show := &LineWriter{Call: c.Line}
	env, line := map[string]string{}, ""
	if !c.AsLogin {
		env["LC_ALL"], line = "C", "umask 022; "
	}
	maps.Copy(env, c.Env)
	start := time.Now()
	code, err := l.conn.Exec(ctx, transport.Process{
		Line: line + "cd " + shell.POSIX(cmp.Or(c.Dir, ".")) + " && exec " + shell.POSIX(c.Argv...), Env: env, Stdin: c.Stdin,
		Stdout: io.MultiWriter(&stdout, show), Stderr: io.MultiWriter(&stderr, show),
	})
	out := module.Output{Stdout: stdout.String(), Stderr: stderr.String(), Duration: time.Since(start)}
	if err != nil {
		return out, err
	}
	return l.ended(c, out, code)
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
