// Package transporttest is the suite that every transport.Conn passes. It holds
// the implementations to the sentences of the contract, on a real machine, or on one
// that is simulated from outside the process.
//
// The behaviours have the same names for every system. What is said to the machine is
// its dialect, posix.go or windows.go; a behaviour that a system or a transport does not
// have is named there with the reason.
package transporttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// limit is how long one test of the suite may take.
const limit = 5 * time.Minute

// Run runs the suite against a machine with /bin/sh. open returns a Conn to this
// machine, since the suite listens on sockets that the Conn then dials; the suite closes
// it.
func Run(t *testing.T, open func(t *testing.T) transport.Conn) {
	t.Helper()
	run(t, posix(), open)
}

// Sample is Run with every third behaviour, from the one with the number first (0 to 2) on: for
// further ways to a machine that Run tests already. If KINIT_ALL is set, it has all of them.
func Sample(t *testing.T, first int, open func(t *testing.T) transport.Conn) {
	t.Helper()
	run(t, posix().third(first), open)
}

// SampleWithout is Sample for a machine without some behaviours, by their names with the reasons.
func SampleWithout(t *testing.T, first int, lacks map[string]string, open func(t *testing.T) transport.Conn) {
	t.Helper()
	d := posix().third(first)
	maps.Copy(d.lacks, lacks)
	run(t, d, open)
}

// third limits a suite to every third behaviour, unless KINIT_ALL is set.
func (d dialect) third(first int) dialect {
	if os.Getenv("KINIT_ALL") == "" {
		d.sampled = func(number int) bool { return number%3 == first }
	}
	return d
}

// RunWindows runs the suite against a Windows machine. Where lacks names behaviours,
// the transport does not have them, for the reason given. The machine reaches this one
// by 127.0.0.1.
func RunWindows(t *testing.T, lacks map[string]string, open func(t *testing.T) transport.Conn) {
	t.Helper()
	d := windows()
	maps.Copy(d.lacks, lacks)
	run(t, d, open)
}

// SampleWindows is RunWindows with every third behaviour, as Sample is Run.
func SampleWindows(t *testing.T, first int, lacks map[string]string, open func(t *testing.T) transport.Conn) {
	t.Helper()
	d := windows().third(first)
	maps.Copy(d.lacks, lacks)
	run(t, d, open)
}

func run(t *testing.T, d dialect, open func(t *testing.T) transport.Conn) {
	suite := suite{dialect: d, open: open, met: &met{names: map[string]bool{}}}
	t.Run("exec", suite.exec)
	t.Run("input", suite.input)
	t.Run("kill", suite.kill)
	t.Run("parallel", suite.parallel)
	t.Run("files", suite.files)
	t.Run("dial", suite.dial)
	t.Run("close", suite.close)
	t.Run("fence", suite.fence)
	suite.met.check(t, d.lacks)
}

type suite struct {
	dialect
	open func(t *testing.T) transport.Conn
	met  *met
}

// behaviour runs one test, unless the system does not have what it is about.
func (s suite) behaviour(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	if number := s.met.add(name); s.sampled != nil && !s.sampled(number) {
		return
	}
	if why := s.lacks[name]; why != "" {
		t.Logf("%s: not here: %s", name, why)
		return
	}
	t.Run(name[strings.LastIndexByte(name, '/')+1:], test)
}

// met is the behaviours that came up, so that nothing is lacking that does not exist.
type met struct {
	mu    sync.Mutex
	names map[string]bool
}

// add returns how many behaviours came up before.
func (m *met) add(name string) (number int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	number = len(m.names)
	m.names[name] = true
	return number
}

func (m *met) check(t *testing.T, lacks map[string]string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range lacks {
		if !m.names[name] {
			t.Errorf("a dialect lacks %q, and no test is about that", name)
		}
	}
}

// conn opens a Conn for one test and returns it with the test's context.
func (s suite) conn(t *testing.T) (context.Context, transport.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	conn := s.open(t)
	t.Cleanup(func() { check(t, conn.Close()) })
	return ctx, conn
}

// outcome is all that a command tells.
type outcome struct {
	code           int
	stdout, stderr string
}

// sh runs a line that must have an exit code.
func sh(ctx context.Context, t *testing.T, conn transport.Conn, line string) outcome {
	t.Helper()
	got, err := exec(ctx, conn, line, nil)
	if err != nil {
		t.Fatalf("exec %s: %v", line, err)
	}
	return got
}

// exec runs a line with an input, which may be nil.
func exec(ctx context.Context, conn transport.Conn, line string, in io.Reader) (outcome, error) {
	var stdout, stderr bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{Line: line, Stdin: in, Stdout: &stdout, Stderr: &stderr})
	return outcome{code, stdout.String(), stderr.String()}, err
}

// begin starts a process, and returns the error with which it ends.
func begin(ctx context.Context, conn transport.Conn, p transport.Process) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, p)
		ended <- err
	}()
	return ended
}

// refused checks that what must not be done is an error.
func refused(t *testing.T, err error, done string) {
	t.Helper()
	if err == nil {
		t.Error(done)
	}
}

func (s suite) folder(ctx context.Context, t *testing.T, conn transport.Conn) string {
	t.Helper()
	made := sh(ctx, t, conn, s.makeFolder)
	path := strings.TrimSpace(made.stdout)
	if made.code != 0 || path == "" {
		t.Fatalf("make a folder: %+v", made)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		files, err := conn.Files(ctx)
		if err == nil {
			err = files.Remove(ctx, path)
		}
		if err != nil {
			t.Errorf("remove %s: %v", path, err)
		}
	})
	return path
}

func files(ctx context.Context, t *testing.T, conn transport.Conn) module.Files {
	t.Helper()
	files, err := conn.Files(ctx)
	if err != nil {
		t.Fatalf("files: %v", err)
	}
	return files
}

// until polls a condition, quickly.
func until(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		if pace.Wait(ctx, 10*time.Millisecond) != nil {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func wantIs(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error is %v, want %v", err, target)
	}
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %#v, want %#v", what, got, want)
	}
}
