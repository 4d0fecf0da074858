package ssh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
)

// seconds is how long an end may take, whatever the machines do.
const seconds = 10 * time.Second

// soon runs something that must end within seconds.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	select {
	case <-ended:
	case <-time.After(seconds):
		t.Fatalf("%s has not ended after %s", what, seconds)
	}
}

// Through a jump host, whose connection is fine, to a machine that has vanished.
func TestAMachineThatVanishesBehindAJumpHost(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	outer := dial(t, config(server))
	proxy := netfault.New(t, server.Addr)
	inner := dialThrough(t, server, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return outer.Dial(ctx, network, proxy.Address)
	})
	endings(t, inner, proxy.Vanish)
	says(t, outer, "echo fine", "fine\n")
	soon(t, "the close of the jump host", func() { _ = outer.Close() })
}

// The jump host has vanished, and the machine behind it with it.
func TestAJumpHostThatVanishes(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	outer := dialThrough(t, server, by(proxy))
	inner := dialThrough(t, server, outer.Dial)
	endings(t, inner, proxy.Vanish)
	soon(t, "the close of the jump host", func() { _ = outer.Close() })
}

func TestAMachineThatVanishes(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	endings(t, dialThrough(t, server, by(proxy)), proxy.Vanish)
}

// by makes connections to the server of a proxy.
func by(proxy *netfault.Proxy) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, proxy.Address)
	}
}

func dialThrough(t *testing.T, server *sshd.Server, through func(ctx context.Context, network, address string) (net.Conn, error)) *ssh.Conn {
	t.Helper()
	c := config(server)
	c.Dial = through
	return dial(t, c)
}

// endings cancels everything that a Conn can be doing after its machine has vanished, and
// closes it.
func endings(t *testing.T, conn *ssh.Conn, vanish func()) {
	t.Helper()
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/large"
	if err := files.Write(t.Context(), name, bytes.NewReader(make([]byte, 16<<20)), module.Attr{}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := conn.Socket(t.Context(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var works sync.WaitGroup
	work := func(what string, do func() error) {
		works.Go(func() {
			if err := do(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	for _, in := range []io.Reader{nil, endless{}} { // the second fills the buffers on the way
		started := &begun{seen: make(chan struct{})}
		work("a command", func() error {
			_, err := conn.Exec(ctx, transport.Process{Line: "echo begun; sleep 100", Stdin: in, Stdout: started})
			return err
		})
		<-started.seen
	}
	var readings [2]io.ReadCloser
	for i := range readings {
		if readings[i], err = files.Open(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	vanish()
	work("a command after that", func() error {
		_, err := conn.Exec(ctx, transport.Process{Line: "true"})
		return err
	})
	work("a look at a file", func() error { _, err := files.Stat(ctx, name); return err })
	work("the content of a file", func() error { _, err := io.Copy(io.Discard, readings[0]); return err })
	work("a part of a file", func() error { _, err := readings[1].Read(make([]byte, 1<<20)); return err })
	work("the writing of a file", func() error {
		return files.Write(ctx, name, endless{}, module.Attr{})
	})
	work("a dial", func() error { _, err := conn.Dial(ctx, "unix", listener.Addr().String()); return err })
	work("a lent terminal", func() error {
		_, err := conn.Interact(ctx, "cat", transport.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
		return err
	})
	time.AfterFunc(100*time.Millisecond, cancel)
	soon(t, "what was cancelled", works.Wait)
	soon(t, "the close of files", func() {
		for _, reading := range readings {
			_ = reading.Close()
		}
	})
	soon(t, "the close of the connection", func() { _ = conn.Close() })
}

// dialUnwatched connects by a proxy, without keepalive requests: they would notice that the machine has gone silent.
func dialUnwatched(t *testing.T) (*ssh.Conn, *netfault.Proxy) {
	t.Helper()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	c := config(server)
	c.Dial, c.KeepAlive = by(proxy), -1
	return dial(t, c), proxy
}

// Only Close ends the forwarding of a socket by a machine that has gone silent.
func TestCloseEndsTheForwardingOfASocket(t *testing.T) {
	t.Parallel()
	conn, proxy := dialUnwatched(t)
	proxy.Set(netfault.Plan{Fault: netfault.Stall, At: 1})
	forwarded := make(chan error, 1)
	go func() {
		_, err := conn.Socket(t.Context(), "/run/no.sock")
		forwarded <- err
	}()
	soon(t, "the question about the socket", func() {
		for struck := false; !struck; _, struck = proxy.Seen() {
			time.Sleep(time.Millisecond)
		}
	})
	soon(t, "the close of the connection", func() { _ = conn.Close() })
	if err := <-forwarded; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the forwarding ended with %v, want %v", err, net.ErrClosed)
	}
}

// A cancelled command has ended, and then its shell answers no more. Two readers of one shell would wait for ever.
func TestAShellThatIsSilentAfterACommandIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	conn, proxy := dialUnwatched(t)
	started := &begun{seen: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, transport.Process{Line: "echo begun; sleep 100", Stdout: started})
		first <- err
	}()
	<-started.seen
	proxy.Set(netfault.Plan{Fault: netfault.Stall, At: 2}) // the first message is the order to end the command
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first command ended with %v", err)
	}
	next, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if _, err := conn.Exec(next, transport.Process{Line: "true"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the next command ended with %v", err)
	}
	soon(t, "the close of the connection", func() { _ = conn.Close() })
}

// A server behind a jump host that admits no login and never answers.
func TestASilentServerBehindAJumpHost(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	outer := dial(t, config(server))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c := config(server)
	c.HandshakeTimeout = 100 * time.Millisecond
	c.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return outer.Dial(ctx, network, listener.Addr().String())
	}
	soon(t, "the handshake", func() { refused(t, c, transport.ErrUnreachable, "did not let anybody in within 100ms") })
}

// A server that runs something else instead of what it is asked for, which does not end.
func TestWhatComesInsteadOfTheFileServerIsTold(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t, "ForceCommand echo only for maintenance; exec cat")
	want := `the machine's SFTP server does not answer; what came was "only for maintenance`
	if _, err := dial(t, config(server)).Files(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The connection ends each time when the file server is asked for.
func TestAConnectionThatEndsAsTheFileServerBegins(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"without a word": "kill -9 $PPID",
		"with a message": "echo going; kill -9 $PPID",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sshd.Start(t, "Match all", "ForceCommand case $SSH_ORIGINAL_COMMAND in *sftp*) "+command+";; *) exec $SSH_ORIGINAL_COMMAND;; esac")
			if _, err := dial(t, config(server)).Files(t.Context()); !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("error %v, want that the machine is unreachable", err)
			}
		})
	}
}
