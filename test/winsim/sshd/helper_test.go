package sshd_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/process"
	"kinit/test/winsim/process/processtest"
	"kinit/test/winsim/sshd"
)

// service is a server with its listener.
type service struct {
	*sshd.Server
	addr   string
	host   ssh.Signer
	client ssh.Signer
	key    string // file with the client's private key
	folder string // what C: is
	ended  chan string
}

func start(t testing.TB) *service {
	t.Helper()
	s := &service{folder: t.TempDir(), ended: make(chan string, 100)}
	s.host, _ = signer(t)
	s.client, s.key = signer(t)
	machine := &processtest.Machine{PublicKey: s.client.PublicKey()}
	s.Server = sshd.New(sshd.Options{
		Runner: runner{machine, s.ended}, Login: machine, HostKey: s.host, Files: sshd.Folder(s.folder),
		Failed: func(err error) { t.Errorf("the machine: %v", err) },
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

// runner tells which commands have ended.
type runner struct {
	process.Runner
	ended chan string
}

func (r runner) Run(ctx context.Context, c process.Command) (uint32, error) {
	code, err := r.Runner.Run(ctx, c)
	r.ended <- c.Args[len(c.Args)-1]
	return code, err
}

func signer(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// dial logs in.
func (s *service) dial(t testing.TB, user string, auth ssh.AuthMethod) (*ssh.Client, error) {
	t.Helper()
	client, err := ssh.Dial("tcp", s.addr, &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{auth}, HostKeyCallback: ssh.FixedHostKey(s.host.PublicKey()), Timeout: 20 * time.Second,
	})
	if err == nil {
		t.Cleanup(func() { _ = client.Close() }) // it may be closed already
	}
	return client, err
}

func (s *service) mustDial(t testing.TB) *ssh.Client {
	t.Helper()
	client, err := s.dial(t, processtest.User, ssh.Password(processtest.Password))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func newSession(t testing.TB, client *ssh.Client) *ssh.Session {
	t.Helper()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return session
}
