package ssh_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

// fingerprint is what OpenSSH itself says about a public key.
func fingerprint(t *testing.T, key string) string {
	t.Helper()
	cmd := exec.Command("ssh-keygen", "-lf", "-")
	cmd.Stdin = strings.NewReader(key)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))[1]
}

// refused dials and wants an error of a kind that says some things.
func refused(t *testing.T, c ssh.Config, kind error, says ...string) {
	t.Helper()
	conn, err := ssh.Dial(t.Context(), c)
	if err == nil {
		_ = conn.Close()
		t.Fatal("connected")
	}
	if !errors.Is(err, kind) {
		t.Errorf("error is %v, want %v", err, kind)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDialVerifiesTheHostKey(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	other := read(t, sshd.Keygen(t, filepath.Join(t.TempDir(), "other"))+".pub")
	name := "[127.0.0.1]:" + strconv.Itoa(server.Port)
	t.Run("an unknown key", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, ""), "/nonexistent/known_hosts"}
		refused(t, c, transport.ErrHostKey, "node1 (127.0.0.1:", "is unknown", fingerprint(t, server.HostKey),
			name+" "+strings.Join(strings.Fields(server.HostKey)[:2], " "),
			"ssh-keyscan -p "+strconv.Itoa(server.Port)+" 127.0.0.1", c.KnownHosts[0])
	})
	t.Run("the line that the error gives is the right one", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, "")}
		_, err := ssh.Dial(t.Context(), c)
		lines := strings.Split(err.Error(), "\n")
		c.KnownHosts = []string{write(t, lines[len(lines)-1]+"\n")}
		dial(t, c)
	})
	t.Run("a changed key", func(t *testing.T) {
		c := config(server)
		file := write(t, "# comment\n"+name+" "+other)
		c.KnownHosts = []string{file}
		refused(t, c, transport.ErrHostKey, "CHANGED", file+":2", fingerprint(t, other), fingerprint(t, server.HostKey),
			"ssh-keygen -R '"+name+"'")
	})
	t.Run("a revoked key", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, "@revoked * "+server.HostKey+"\n"+name+" "+server.HostKey)}
		refused(t, c, transport.ErrHostKey, "revoked")
	})
	t.Run("a hashed name", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, read(t, server.KnownHosts))}
		if out, err := exec.Command("ssh-keygen", "-H", "-f", c.KnownHosts[0]).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		dial(t, c)
	})
	t.Run("on record under the host's name", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, "[node1]:"+strconv.Itoa(server.Port)+" "+server.HostKey)}
		dial(t, c)
	})
	t.Run("a damaged file", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, "node1 ssh-ed25519 nonsense\n")}
		refused(t, c, transport.ErrHostKey, c.KnownHosts[0]+":1")
	})
	t.Run("a key that was given", func(t *testing.T) {
		c := config(server)
		c.KnownHosts = []string{write(t, "")}
		c.HostKeys = []string{other, server.HostKey}
		dial(t, c)
	})
	t.Run("another key was given, whatever the files say", func(t *testing.T) {
		c := config(server)
		c.HostKeys = []string{other}
		refused(t, c, transport.ErrHostKey, fingerprint(t, server.HostKey), fingerprint(t, other))
	})
	t.Run("what was given is no key", func(t *testing.T) {
		c := config(server)
		c.HostKeys = []string{"nonsense"}
		refused(t, c, transport.ErrHostKey, `"nonsense"`)
	})
}

// A server with several host keys must show the one that is on record, though
// the client's library likes another one better.
func TestDialAsksForTheKnownKindOfHostKey(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"rsa", "ecdsa"} {
		t.Run(kind, func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "second")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", key).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			server := sshd.Start(t, "HostKey "+key)
			c := config(server)
			c.KnownHosts = []string{write(t, "[127.0.0.1]:"+strconv.Itoa(server.Port)+" "+read(t, key+".pub"))}
			dial(t, c)
		})
	}
}

func TestDialTriesTheKeys(t *testing.T) {
	server := sshd.Start(t)
	dir := t.TempDir()
	wrong := sshd.Keygen(t, filepath.Join(dir, "wrong"))
	locked := filepath.Join(dir, "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", locked).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Run("none is right", func(t *testing.T) {
		c := config(server)
		c.IdentityFiles = []string{wrong, locked, dir + "/missing", write(t, "nonsense")}
		refused(t, c, transport.ErrAuth, server.User+"@node1", "tried "+wrong+" (ssh-ed25519 "+fingerprint(t, read(t, wrong+".pub"))+")",
			locked+" has a passphrase: add it to ssh-agent", dir+"/missing is missing", "is no private key")
	})
	t.Run("too many for the server", func(t *testing.T) {
		c := config(server)
		for i := range 10 {
			c.IdentityFiles = append([]string{sshd.Keygen(t, filepath.Join(dir, "k"+strconv.Itoa(i)))}, c.IdentityFiles...)
		}
		refused(t, c, transport.ErrAuth, "after too many wrong keys (MaxAuthTries in its sshd_config), so the last of these may not have been tried: name the right key",
			"\n  to be offered: "+dir+"/k9 (ssh-ed25519 ")
	})
	t.Run("the second file is right", func(t *testing.T) {
		c := config(server)
		c.IdentityFiles = []string{wrong, server.ClientKey}
		dial(t, c)
	})
	t.Run("a given key", func(t *testing.T) {
		c := config(server)
		c.IdentityFiles = nil
		c.PrivateKeys = []secret.Value{secret.Value(read(t, server.ClientKey))}
		dial(t, c)
	})
	t.Run("the agent's", func(t *testing.T) {
		c := config(server)
		c.IdentityFiles, c.UseAgent = []string{wrong}, true
		startAgent(t, server.ClientKey)
		dial(t, c)
	})
	t.Run("an agent that hangs", func(t *testing.T) {
		c := config(server)
		c.IdentityFiles, c.UseAgent = []string{wrong}, true
		asked := hangingAgent(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			<-asked
			stop()
		}()
		if _, err := ssh.Dial(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	})
	t.Run("no agent", func(t *testing.T) {
		t.Setenv("SSH_AUTH_SOCK", "")
		c := config(server)
		c.IdentityFiles, c.UseAgent = []string{wrong}, true
		refused(t, c, transport.ErrAuth, "SSH_AUTH_SOCK is not set")
	})
}

// startAgent runs a real agent with a key for the test.
func startAgent(t *testing.T, key string) {
	t.Helper()
	need.Programs(t, "sshd", "ssh-agent", "ssh-add")
	t.Setenv("SSH_AUTH_SOCK", sshd.Agent(t))
	if out, err := exec.Command("ssh-add", key).CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v: %s", err, out)
	}
}

// hangingAgent is an agent that takes a connection and says nothing. The channel is closed
// when it is asked.
func hangingAgent(t *testing.T) (asked <-chan struct{}) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kinit-agent-") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("SSH_AUTH_SOCK", dir+"/agent")
	listener, err := net.Listen("unix", dir+"/agent")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	heard, over := make(chan struct{}), make(chan struct{})
	serving.Go(func() {
		conn, err := listener.Accept()
		if err == nil {
			defer conn.Close()
			_, _ = conn.Read(make([]byte, 1))
		}
		close(heard)
		<-over
	})
	t.Cleanup(func() {
		_ = listener.Close()
		close(over)
		serving.Wait()
	})
	return heard
}

// await polls, quickly.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatal("waited in vain")
		}
	}
}

// A machine that restarts, or that loses its network for a moment, accepts a connection and
// resets it. The caller may see that while it still connects.
func TestDialTriesAgainAfterAReset(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	c := config(server)
	var attempts atomic.Int32
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if attempts.Add(1) == 1 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNRESET)}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	dial(t, c)
	if got := attempts.Load(); got != 2 {
		t.Errorf("%d attempts, want 2", got)
	}
}

// A machine that answered before and whose network comes back, as that of a Windows node does
// when it gets its switch, refuses connections for a moment.
func TestAMachineThatAnsweredBeforeIsCalledAgain(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	c := config(server)
	var attempts atomic.Int32
	var last atomic.Value
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if n := attempts.Add(1); n == 2 || n == 3 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			last.Store(conn)
		}
		return conn, err
	}
	conn := dial(t, c)
	_ = last.Load().(net.Conn).Close()
	awaitLost(t, conn)
	says(t, conn, "echo back", "back\n")
	if got := attempts.Load(); got != 4 {
		t.Errorf("%d attempts, want 4", got)
	}

	attempts.Store(1) // the next two are refused
	_ = last.Load().(net.Conn).Close()
	awaitLost(t, conn)
	if _, err := conn.Exec(transport.AtOnce(t.Context()), transport.Process{Line: "true"}); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("for a caller that does not wait the error is %v", err)
	}
	if got := attempts.Load(); got != 2 {
		t.Errorf("%d attempts, want 2", got)
	}
}

func TestDialUnreachable(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	t.Run("nothing listens", func(t *testing.T) {
		c := config(server)
		c.Port = 1
		refused(t, c, transport.ErrUnreachable, "node1 (127.0.0.1:1)", "connection refused")
	})
	t.Run("no such name", func(t *testing.T) {
		c := config(server)
		c.Address = "no-such-host.invalid"
		refused(t, c, transport.ErrUnreachable, "no-such-host.invalid")
	})
	t.Run("a server that says nothing", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		c := config(server)
		c.Port, c.HandshakeTimeout = listener.Addr().(*net.TCPAddr).Port, 50*time.Millisecond
		refused(t, c, transport.ErrUnreachable, "did not let anybody in within 50ms")
	})
	t.Run("a machine that says nothing", func(t *testing.T) {
		c := config(server)
		c.ConnectTimeout = 50 * time.Millisecond
		c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		refused(t, c, transport.ErrUnreachable, "no answer within 50ms")
	})
	t.Run("a server that hangs up", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var serving sync.WaitGroup
		defer serving.Wait()
		defer listener.Close()
		calls := 0
		serving.Go(func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				calls++
				_ = conn.Close()
			}
		})
		c := config(server)
		c.Port = listener.Addr().(*net.TCPAddr).Port
		refused(t, c, transport.ErrUnreachable, "node1", "hung up")
		_ = listener.Close()
		serving.Wait()
		if calls != 6 {
			t.Errorf("it was called %d times, want 6", calls)
		}
	})
	t.Run("a server that hangs up once", func(t *testing.T) {
		c := config(server)
		hungUp := false
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if hungUp {
				return new(net.Dialer).DialContext(ctx, network, address)
			}
			hungUp = true
			here, there := net.Pipe()
			go func() {
				_, _ = there.Read(make([]byte, 64)) // the caller's version
				_ = there.Close()
			}()
			return here, nil
		}
		conn, err := ssh.Dial(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ssh.Dial(ctx, config(server)); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	})
}
