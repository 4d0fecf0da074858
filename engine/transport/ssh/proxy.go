package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"kinit/engine/internal/subprocess"
)

// proxyPatience is how long a proxy command may take to end after its connection has.
const proxyPatience = time.Second

// ProxyCommand returns a Config.Dial whose connection is the standard input and output of a command of this machine, as for
// the option of that name in ssh_config(5). The line is for the user's shell; its tokens are replaced already. Closing the
// connection ends the command's process group.
func ProxyCommand(line string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs, err := socketPair()
		if err != nil {
			return nil, err
		}
		defer theirs.Close()
		defer ours.Close()
		conn, err := net.FileConn(ours)
		if err != nil {
			return nil, err
		}
		p := &proxy{Conn: conn, line: line, ended: make(chan struct{})}
		p.cmd = exec.Command(cmp.Or(os.Getenv("SHELL"), "/bin/sh"), "-c", "exec "+line)
		p.cmd.Dir = "/" // relative names lead to no other user's files
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, theirs, &p.said
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		p.cmd.WaitDelay = proxyPatience
		if err := p.cmd.Start(); err != nil {
			return nil, errors.Join(fmt.Errorf("run the ProxyCommand: %w", err), conn.Close())
		}
		go func() { // ends with the process, which Close ends
			defer close(p.ended)
			p.exit = p.cmd.Wait()
		}()
		return p, nil
	}
}

// socketPair returns two connected sockets that no other process inherits.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("a socket for the ProxyCommand: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "proxy"), os.NewFile(uintptr(fds[1]), "proxy"), nil
}

// proxy is a connection through a command.
type proxy struct {
	net.Conn
	line  string
	cmd   *exec.Cmd
	said  subprocess.Tail
	ended chan struct{}
	exit  error // valid once ended is closed
}

// Read reads what the command prints. Its end is an error with what the command said.
func (p *proxy) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if err == nil || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		return n, err
	}
	select {
	case <-p.ended:
	case <-time.After(proxyPatience):
		return n, err
	}
	reason := "it ended"
	if p.exit != nil {
		reason = p.exit.Error()
	}
	if said := p.said.String(); said != "" {
		reason += ": " + said
	}
	return n, fmt.Errorf("the ProxyCommand %q is no connection any more: %s", p.line, reason)
}

// Close ends the command and what it has started.
func (p *proxy) Close() error {
	err := p.Conn.Close()
	select {
	case <-p.ended:
		return err
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
		<-p.ended
		return err
	}
}
