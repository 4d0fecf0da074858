package ssh_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/hostileweb"
	"kinit/engine/transport/transporttest/sshd"
)

// serveAgent is an agent at SSH_AUTH_SOCK. It returns the socket.
func serveAgent(t *testing.T, serve func(conn net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kinit-agent-") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := dir + "/agent"
	t.Setenv("SSH_AUTH_SOCK", socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return socket
}

// silentAgent reads requests and never answers.
func silentAgent(conn net.Conn) {
	for b := make([]byte, 1<<10); ; {
		if _, err := conn.Read(b); err != nil {
			return
		}
	}
}

// unsigning is an agent that lists its keys and never signs.
type unsigning struct {
	agent.Agent
	asked chan<- struct{}
	over  <-chan struct{}
}

func (u unsigning) Sign(gossh.PublicKey, []byte) (*gossh.Signature, error) {
	u.asked <- struct{}{}
	<-u.over
	return nil, errors.New("it is over")
}

// unsigningAgent serves an agent that never signs with a key. The channel gets a value when it is asked to.
func unsigningAgent(t *testing.T, key string) (socket string, asked <-chan struct{}) {
	t.Helper()
	ring, signing, over := agent.NewKeyring(), make(chan struct{}, 16), make(chan struct{})
	private, err := gossh.ParseRawPrivateKey([]byte(read(t, key)))
	if err == nil {
		err = ring.Add(agent.AddedKey{PrivateKey: private})
	}
	if err != nil {
		t.Fatal(err)
	}
	socket = serveAgent(t, func(conn net.Conn) { _ = agent.ServeAgent(unsigning{ring, signing, over}, conn) })
	t.Cleanup(func() { close(over) })
	return socket, signing
}

func TestAgentThatDoesNotAnswerIsSkippedAndNamed(t *testing.T) {
	server := sshd.Start(t)
	socket := serveAgent(t, silentAgent)
	c := config(server)
	c.UseAgent, c.HandshakeTimeout = true, 500*time.Millisecond
	wrong := sshd.Keygen(t, t.TempDir()+"/wrong")
	soon(t, "an agent that is silent", func() {
		c := c
		c.IdentityFiles = []string{wrong}
		refused(t, c, transport.ErrAuth, "the agent at "+socket+" did not answer within 500ms", "ssh-add -l", "unset SSH_AUTH_SOCK")
	})
	soon(t, "an agent that is silent, beside a good key", func() {
		c := c
		c.HandshakeTimeout = 3 * time.Second // the machine of the tests may be busy
		dial(t, c)
	})
}

func TestAgentThatDoesNotSignEndsTheLoginAndIsNamed(t *testing.T) {
	server := sshd.Start(t)
	socket, asked := unsigningAgent(t, server.ClientKey)
	c := config(server)
	c.UseAgent, c.HandshakeTimeout = true, 2*time.Second
	c.IdentityFiles = []string{sshd.Keygen(t, t.TempDir()+"/wrong")}
	soon(t, "an agent that does not sign", func() {
		refused(t, c, transport.ErrAuth, "the agent at "+socket+" did not sign within 2s", "ssh-add -l", "unset SSH_AUTH_SOCK")
	})
	<-asked
	c.HandshakeTimeout = time.Minute
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		<-asked
		stop()
	}()
	soon(t, "an interrupt while the agent does not sign", func() {
		if _, err := ssh.Dial(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	})
}

// Not parallel: it measures memory.
func TestAgentWithTooManyKeysIsSkippedAndDoesNotFillTheMemory(t *testing.T) {
	server := sshd.Start(t)
	const count = 600_000
	key := []byte("\x00\x00\x00\x05\x00\x00\x00\x01x\x00\x00\x00\x00")
	list := binary.BigEndian.AppendUint32(nil, uint32(5+count*len(key)))
	list = binary.BigEndian.AppendUint32(append(list, 12), count)
	list = append(list, bytes.Repeat(key, count)...)
	serveAgent(t, func(conn net.Conn) {
		_, _ = conn.Write(list)
		_, _ = io.Copy(io.Discard, conn)
	})
	c := config(server)
	c.UseAgent, c.HandshakeTimeout = true, 10*time.Second
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	dial(t, c)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > hostileweb.MostMemory {
		t.Errorf("%d MiB were allocated, want at most %d", took>>20, hostileweb.MostMemory>>20)
	}
}
