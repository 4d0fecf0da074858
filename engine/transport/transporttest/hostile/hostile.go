// Package hostile is an SSH server that misbehaves, for tests: it floods a client with messages
// of one type, or is silent, at one point of the protocol. Everything else works: shells are
// real ones on this machine.
package hostile

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Behaviour is what a server does instead of working. All fields may be nil.
type Behaviour struct {
	Name      string
	Greet     func(conn net.Conn)               // in place of the handshake
	Configure func(c *ssh.ServerConfig)         // before the handshake
	Connected func(c *Conn)                     // beside everything else, after the login
	Open      func()                            // in place of the answer to a request for a session
	Shell     func(c ssh.Channel)               // in place of programs
	Attend    func(c *Conn, ch ssh.Channel)     // beside a program, while its session is open
	Files     func(kind byte, id []byte) []byte // answers to requests of SFTP, without their length; nil for none
	FirstFile []byte                            // the version packet of SFTP, without its length
}

// Server is a server on this machine.
type Server struct {
	Port             int
	HostKey, KeyFile string // of the server, and the client's private one
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, b Behaviour) *Server {
	t.Helper()
	host, _ := newKey(t)
	_, client := newKey(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, client, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			// Not waited for: the library never ends a connection whose client it has given up.
			go func() {
				defer conn.Close()
				serve(conn, host, b)
			}()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return &Server{Port: listener.Addr().(*net.TCPAddr).Port, HostKey: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(host.PublicKey()))), KeyFile: file}
}

func newKey(t testing.TB) (ssh.Signer, []byte) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, pem.EncodeToMemory(block)
}

func serve(conn net.Conn, key ssh.Signer, b Behaviour) {
	if b.Greet != nil {
		b.Greet(conn)
		return
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
	config.AddHostKey(key)
	if b.Configure != nil {
		b.Configure(config)
	}
	server, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	c := &Conn{server}
	var work sync.WaitGroup
	defer work.Wait()
	defer conn.Close()
	work.Go(func() { ssh.DiscardRequests(requests) })
	if b.Connected != nil {
		work.Go(func() { b.Connected(c) })
	}
	for asked := range channels {
		if b.Open != nil {
			b.Open()
			continue
		}
		channel, requests, err := asked.Accept()
		if err != nil {
			return
		}
		work.Go(func() { session(c, channel, requests, b) })
	}
}

func session(c *Conn, channel ssh.Channel, requests <-chan *ssh.Request, b Behaviour) {
	var work sync.WaitGroup
	defer work.Wait()
	defer channel.Close()
	for request := range requests {
		if request.WantReply {
			_ = request.Reply(true, nil)
		}
		switch request.Type {
		case "subsystem":
			work.Go(func() { files(channel, b) })
		case "exec":
			var command struct{ Line string }
			if ssh.Unmarshal(request.Payload, &command) != nil {
				return
			}
			work.Go(func() {
				if b.Shell != nil {
					b.Shell(channel)
				} else {
					program(channel, command.Line)
				}
			})
			if b.Attend != nil {
				work.Go(func() { b.Attend(c, channel) })
			}
		}
	}
}

// program runs a command line on this machine.
func program(channel ssh.Channel, line string) {
	defer channel.Close()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	_, _ = io.Copy(in, channel)
	_ = in.Close()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
}

// files answers requests of SFTP.
func files(channel ssh.Channel, b Behaviour) {
	defer channel.Close()
	send := func(packet []byte) bool {
		_, err := channel.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(packet))), packet...))
		return err == nil
	}
	for {
		var size [4]byte
		if _, err := io.ReadFull(channel, size[:]); err != nil {
			return
		}
		request := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(channel, request); err != nil {
			return
		}
		answer := b.FirstFile
		if request[0] != 1 {
			if b.Files == nil {
				continue
			}
			answer = b.Files(request[0], request[1:5])
		} else if answer == nil {
			answer = []byte{2, 0, 0, 0, 3}
		}
		if answer != nil && !send(answer) {
			return
		}
	}
}

// Repeat sends a packet until that fails.
func (c *Conn) Repeat(packet []byte) {
	for c.Send(packet) == nil {
	}
}

// Packet is a packet before there are keys.
func Packet(payload []byte) []byte {
	padding := 8 - (5+len(payload))%8 + 4
	b := binary.BigEndian.AppendUint32(nil, uint32(1+len(payload)+padding))
	return append(append(append(b, byte(padding)), payload...), make([]byte, padding)...)
}

// Flood writes without end.
func Flood(conn io.Writer, b []byte) {
	for {
		if _, err := conn.Write(b); err != nil {
			return
		}
	}
}

// ErrNever is the error of a login that never succeeds.
var ErrNever = errors.New("not yet")
