package ssh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
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

// says runs a line and wants an output.
func says(t *testing.T, conn transport.Conn, line, want string) {
	t.Helper()
	var out bytes.Buffer
	code, err := conn.Exec(t.Context(), transport.Process{Line: line, Stdout: &out})
	if code != 0 || err != nil || out.String() != want {
		t.Errorf("%s: code %d, output %q, error %v", line, code, out.String(), err)
	}
}

func TestLostConnection(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	t.Run("between two commands", func(t *testing.T) {
		conn := dial(t, config(server))
		for range 3 {
			says(t, conn, "echo fine", "fine\n")
			server.Cut()
			awaitLost(t, conn)
		}
		says(t, conn, "echo fine", "fine\n")
	})
	t.Run("between two files", func(t *testing.T) {
		conn := dial(t, config(server))
		files, err := conn.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		name := t.TempDir() + "/file"
		for range 2 {
			if err := files.Write(t.Context(), name, strings.NewReader("text"), module.Attr{}); err != nil {
				t.Error(err)
			}
			server.Cut()
			awaitLost(t, conn)
		}
	})
	t.Run("before it is noticed, files are looked at again", func(t *testing.T) {
		conn := dial(t, config(server))
		files, err := conn.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			server.Cut()
			if _, err := files.Stat(t.Context(), "/"); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("before it is noticed, a dial is made again", func(t *testing.T) {
		conn := dial(t, config(server))
		for range 5 {
			server.Cut()
			to, err := conn.Dial(t.Context(), "tcp", server.Addr)
			if err != nil {
				t.Error(err)
				continue
			}
			_ = to.Close()
		}
	})
	t.Run("while a command runs", func(t *testing.T) {
		conn := dial(t, config(server))
		for name, in := range map[string]io.Reader{"without input": nil, "with input": endless{}} {
			started := &begun{seen: make(chan struct{})}
			ended := make(chan error, 1)
			go func() {
				_, err := conn.Exec(t.Context(), transport.Process{Line: "echo begun; sleep 3; :", Stdin: in, Stdout: started})
				ended <- err
			}()
			<-started.seen
			server.Cut()
			err := <-ended
			if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "unknown") {
				t.Errorf("%s: error is %v", name, err)
			}
			says(t, conn, "echo fine", "fine\n")
		}
	})
	t.Run("for many at once", func(t *testing.T) {
		conn := dial(t, config(server))
		says(t, conn, "echo fine", "fine\n")
		server.Cut()
		awaitLost(t, conn)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { says(t, conn, "echo fine", "fine\n") })
		}
		all.Wait()
	})
	t.Run("while a server is spoken with", func(t *testing.T) {
		conn := dial(t, config(server))
		for range 2 {
			lost, err := conn.Watch(t.Context())
			if err != nil || lost(t.Context()) {
				t.Errorf("lost before it is, error %v", err)
			}
			server.Cut()
			if !lost(t.Context()) {
				t.Error("not lost when it is")
			}
			says(t, conn, "echo fine", "fine\n") // over a new connection
			if !lost(t.Context()) {
				t.Error("not lost when there is another")
			}
		}
	})
	t.Run("for good", func(t *testing.T) {
		server := sshd.Start(t)
		conn := dial(t, config(server))
		says(t, conn, "echo fine", "fine\n")
		server.Stop()
		awaitLost(t, conn)
		for range 2 {
			_, err := conn.Exec(t.Context(), transport.Process{Line: "true"})
			if !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("error is %v", err)
			}
		}
		if err := server.Restart(t); err != nil {
			t.Fatal(err)
		}
		says(t, conn, "echo fine", "fine\n")
	})
}

// awaitLost waits until the Conn knows that its connection is lost: a dial over
// it fails with ErrUnreachable or works over a new one.
func awaitLost(t *testing.T, conn *ssh.Conn) {
	t.Helper()
	await(t, func() bool { return ssh.Lost(conn) })
}

// begun tells when the first output arrives.
type begun struct {
	seen chan struct{}
	once sync.Once
}

func (w *begun) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.seen) })
	return len(b), nil
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, "line\n"), nil }

// The shell that runs a command may be killed by somebody else.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t)))
	var out bytes.Buffer
	_, err := conn.Exec(t.Context(), transport.Process{Line: "echo $$; kill -9 $PPID; exec sleep 100", Stdout: &out})
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error is %v", err)
	}
	await(t, func() bool {
		code, err := conn.Exec(t.Context(), transport.Process{Line: "kill -0 " + out.String()})
		return code != 0 && err == nil
	})
	says(t, conn, "echo fine", "fine\n")
	out.Reset()
	code, err := conn.Exec(t.Context(), transport.Process{Line: "(sleep 0.2; kill -9 $PPID) >/dev/null 2>&1 & echo $PPID", Stdout: &out})
	if code != 0 || err != nil {
		t.Errorf("code %d, error %v", code, err)
	}
	await(t, func() bool {
		code, err := conn.Exec(t.Context(), transport.Process{Line: "kill -0 " + out.String()})
		if err != nil {
			t.Fatal(err)
		}
		return code != 0
	})
	says(t, conn, "echo fine", "fine\n")
}

func TestKeepAliveNoticesASilentServer(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	c := config(server)
	c.KeepAlive, c.Dial = 500*time.Millisecond, by(proxy) // a busy machine answers in that time
	conn := dial(t, c)
	says(t, conn, "echo fine", "fine\n")
	proxy.Set(netfault.Plan{Fault: netfault.Stall, At: 1})
	begin := time.Now()
	_, err := conn.Exec(t.Context(), transport.Process{Line: "true"})
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error is %v", err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v to notice", took)
	}
	says(t, conn, "echo fine", "fine\n") // over a new connection
}

func TestCancelWhileTheServerIsSilent(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	conn := dialThrough(t, server, by(proxy))
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	says(t, conn, "echo fine", "fine\n")
	proxy.Set(netfault.Plan{Fault: netfault.Stall, At: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := conn.Exec(ctx, transport.Process{Line: "true"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("exec: %v", err)
	}
	if _, err := files.Stat(ctx, "/"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stat: %v", err)
	}
	if _, err := conn.Dial(ctx, "tcp", server.Addr); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial: %v", err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}
