package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"kinit/engine/shell"
	"kinit/engine/transport"
)

// grace is how long a process group may take to end after SIGTERM.
const grace = 2 * time.Second

// Exec runs the line with /bin/sh in a new session, and so a new process group. It returns
// when the shell has ended: processes that the line left behind continue, and their later
// output is lost.
func (c *Conn) Exec(ctx context.Context, p transport.Process) (int, error) {
	p.Line = c.line(p)
	code, err := c.life.Do(ctx, func(ctx context.Context) (int, error) { return c.start(ctx, p) })
	if code == codeFenced && err == nil && p.Fence != "" {
		if _, missing := os.Lstat(p.Fence); errors.Is(missing, fs.ErrNotExist) {
			return 0, transport.ErrFenced
		}
	}
	return code, err
}

// start runs a line to its end.
func (c *Conn) start(ctx context.Context, p transport.Process) (int, error) {
	if c.as != nil {
		return c.as.exec(ctx, c, p)
	}
	cmd := command(p.Line)
	if c.run != "" {
		cmd.Env = append(cmd.Env, "KINIT_RUN="+c.run)
	}
	for name, value := range p.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return c.attend(ctx, cmd, p, own(cmd))
}

// codeFenced is the exit code of a line whose fence is missing.
const codeFenced = 113

// line returns a process's line with its prefix: the shell checks the fence itself.
func (c *Conn) line(p transport.Process) string {
	line := p.Line
	if p.Fence != "" {
		line = fmt.Sprintf("[ -L %s ] || exit %d; %s", shell.POSIX(p.Fence), codeFenced, line)
	}
	if c.run != "" {
		line = "export KINIT_COMMAND=$$; " + line
	}
	return line
}

// command returns a command that runs a line with /bin/sh in a new session.
func command(line string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = home(), environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// signaller sends a signal to everything that a command has started.
type signaller func(signal syscall.Signal)

// own sends signals to the session that the command leads.
func own(cmd *exec.Cmd) signaller {
	return func(signal syscall.Signal) { signalSession(cmd.Process.Pid, signal) }
}

// attend runs a command to its end, or kills it.
func (c *Conn) attend(ctx context.Context, cmd *exec.Cmd, p transport.Process, send signaller) (int, error) {
	streams, err := start(cmd, p)
	if err != nil {
		return 0, fmt.Errorf("start /bin/sh: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
		if err := streams.finish(); err != nil {
			return 0, fmt.Errorf("copy the output: %w", err)
		}
		return exitCode(cmd, err)
	case err = <-streams.damaged:
	case <-ctx.Done():
		err = ctx.Err()
	}
	kill(send, ended)
	streams.finish() // the reason for the kill is the error that counts
	return 0, err
}

// kill ends the whole session with SIGTERM, then with SIGKILL, so that children that ignore
// SIGTERM or have another process group end too.
func kill(send signaller, ended <-chan error) {
	send(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		send(syscall.SIGKILL)
	case <-timer.C:
		send(syscall.SIGKILL)
		<-ended
	}
}

// exitCode converts the end of a process to a shell's exit code.
func exitCode(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// start starts the command with its streams. It makes its own pipes, because Wait of
// os/exec would wait for background processes that keep the pipes open.
func start(cmd *exec.Cmd, p transport.Process) (*streams, error) {
	out, outEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outEnd.Close()
	errs, errEnd, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	defer errEnd.Close()
	cmd.Stdout, cmd.Stderr = outEnd, errEnd
	var in io.WriteCloser
	if p.Stdin != nil {
		if in, err = cmd.StdinPipe(); err != nil {
			return nil, errors.Join(err, out.Close(), errs.Close())
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, out.Close(), errs.Close())
	}
	s := &streams{damaged: make(chan error, 1)}
	s.add(out, p.Stdout)
	s.add(errs, p.Stderr)
	if in != nil {
		go s.feed(in, p.Stdin)
	}
	return s, nil
}

// signalSession sends a signal to the process group that leads the session, and to every
// other process of the session. Ended processes are no error.
func signalSession(session int, signal syscall.Signal) {
	_ = syscall.Kill(-session, signal)
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		pid, _ := strconv.Atoi(filepath.Base(process))
		if of, err := unix.Getsid(pid); err == nil && of == session {
			_ = syscall.Kill(pid, signal)
		}
	}
}
