package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Run is the parameters of a run of the suite.
type Run struct {
	Kubeconfig  string // the path of a file
	Home        string // a folder for kubectl's files
	Planned     []string
	Focus, Skip string // as for List
	Parallel    int
	Environ     []string
	Log         io.Writer       // receives the suite's output
	Ended       func(Test)      // is called when a test has ended, one call at a time
	Grace       time.Duration   // for the suite to end after an interrupt
	Hurry       <-chan struct{} // is closed when there is no time to wait for that
}

// Outcome is the outcome of a run.
type Outcome struct {
	Tests       []Test
	Interrupted bool
	Problem     string
}

// forever is longer than any run; without it ginkgo ends a suite after an hour.
const forever = "100h"

// Start runs the tests and waits for their end. When the context ends, it interrupts the
// suite and later kills it, with all its processes.
func (s *Suite) Start(ctx context.Context, r Run) (*Outcome, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("run the suite: %w", err)
	}
	defer reader.Close()
	cmd := s.command(r)
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := errors.Join(cmd.Start(), writer.Close()); err != nil {
		return nil, fmt.Errorf("run the suite with %s: %w", s.Ginkgo, err)
	}
	done := &Outcome{}
	var reading sync.WaitGroup
	var readErr error
	reading.Go(func() { readErr = done.read(reader, r) })
	err = wait(ctx, cmd, r)
	reading.Wait()
	done.Interrupted = ctx.Err() != nil
	done.Tests = collect(r.Planned, done.Tests)
	return done, errors.Join(readErr, done.explain(err))
}

// explain returns how the suite ended, if no test explains it. A suite with
// failed tests also ends with a non-zero code.
func (o *Outcome) explain(err error) error {
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("wait for the suite: %w", err)
	}
	reported := o.Interrupted || o.Problem != "" || slices.ContainsFunc(o.Tests, func(t Test) bool { return t.State == Failed })
	if err != nil && !reported {
		o.Problem = "the suite ended with " + err.Error()
	}
	return nil
}

// command returns ginkgo with the suite. ginkgo runs tests that are marked as serial after
// all others.
func (s *Suite) command(r Run) *exec.Cmd {
	args := []string{
		"--procs=" + strconv.Itoa(r.Parallel), "--timeout=" + forever, "--no-color", "-v",
		"--focus=" + r.Focus,
	}
	if r.Skip != "" {
		args = append(args, "--skip="+r.Skip)
	}
	args = append(args, s.Tests, "--", "--kubeconfig="+r.Kubeconfig, "--provider=skeleton", "--disable-log-dump")
	path := filepath.Dir(s.Tests)
	if s.Kubectl != "" {
		args = append(args, "--kubectl-path="+s.Kubectl)
	}
	cmd := exec.Command(s.Ginkgo, args...)
	cmd.Dir = r.Home
	cmd.Env = append(r.Environ, "KUBECONFIG="+r.Kubeconfig, "HOME="+r.Home, "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	// A separate process group: kinit itself forwards an interrupt at the terminal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// wait waits for a process and ends its group.
func wait(ctx context.Context, cmd *exec.Cmd, r Run) error {
	group := -cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Remaining processes of the group would keep the pipe open.
	defer func() { _ = syscall.Kill(group, syscall.SIGKILL) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	_ = syscall.Kill(group, syscall.SIGINT)
	timer := time.NewTimer(r.Grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
	case <-r.Hurry:
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	return <-ended
}

// read reads what the suite writes, to its end.
func (o *Outcome) read(from io.Reader, r Run) error {
	out := newOutput(r.Planned, func(t Test) {
		o.Tests = append(o.Tests, t)
		r.Ended(t)
	}, func(text string) { o.Problem = text })
	lines := bufio.NewReaderSize(from, 1<<16)
	var failed error
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			if _, err := io.WriteString(r.Log, text); err != nil && failed == nil {
				failed = fmt.Errorf("keep what the suite writes: %w", err)
			}
			out.line(text)
		}
		if err != nil {
			out.end()
			return failed
		}
	}
}
