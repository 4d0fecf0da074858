package sshd

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/process"
)

// Options are what a Server is made of. Runner, Login and HostKey must be given.
type Options struct {
	Runner  process.Runner
	Login   process.Login
	HostKey ssh.Signer
	// Files is what SFTP works on. Without it the subsystem is refused.
	Files FS
	// Home is a user's folder, where relative paths of SFTP begin; C:/Users and the
	// name when nil.
	Home func(user string) string
	// Dial connects tunnels, from the machine. It is the network's when nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Failed is told when the Runner did not know what to do. The client sees the
	// text on stderr and the exit code 4294967295. Tests fail there.
	Failed func(error)
}

// Server is an SSH server. Its methods may be called by several goroutines.
type Server struct {
	options Options
	config  *ssh.ServerConfig

	mu        sync.Mutex
	up        bool
	closed    bool
	listeners []net.Listener
	conns     map[net.Conn]bool
	started   []string
	running   sync.WaitGroup
}

// New makes a server that listens nowhere yet.
func New(o Options) *Server {
	if o.Home == nil {
		o.Home = func(user string) string { return "C:/Users/" + user }
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	s := &Server{options: o, up: true, conns: map[net.Conn]bool{}}
	s.config = &ssh.ServerConfig{
		ServerVersion:     "SSH-2.0-OpenSSH_for_Windows_9.5",
		PasswordCallback:  s.password,
		PublicKeyCallback: s.key,
	}
	s.config.AddHostKey(o.HostKey)
	return s
}

var errDenied = errors.New("permission denied")

func (s *Server) password(meta ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
	if !s.options.Login.Password(local(meta.User()), string(password)) {
		return nil, errDenied
	}
	return nil, nil
}

func (s *Server) key(meta ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	if !s.options.Login.Key(local(meta.User()), key) {
		return nil, errDenied
	}
	return nil, nil
}

// local takes the machine, which is all that local accounts can have there, from
// the front of a user's name.
func local(user string) string {
	if _, name, ok := strings.Cut(user, `\`); ok {
		return name
	}
	return user
}

// Serve serves until the listener or the server is closed, and returns nil then. It
// may be called for several listeners.
func (s *Server) Serve(listener net.Listener) error {
	if !s.listen(listener) {
		return listener.Close()
	}
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if !s.track(conn) {
			reset(conn)
		}
	}
}

func (s *Server) listen(listener net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, listener)
	return !s.closed
}

// track serves a connection in the background, unless the machine is down.
func (s *Server) track(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.up {
		return false
	}
	s.conns[conn] = true
	s.running.Go(func() {
		s.serveConn(conn)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, conn)
	})
	return true
}

// reset ends a connection as a crash does.
func reset(conn net.Conn) {
	if lingerer, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = lingerer.SetLinger(0) // a close is enough where it cannot be set
	}
	_ = conn.Close()
}

// Cut resets all connections, which ends their processes. New ones are served.
func (s *Server) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		reset(conn)
	}
}

// Shutdown cuts all connections and waits until their processes have ended. Until
// Boot, connections are accepted and reset at once.
func (s *Server) Shutdown() {
	s.mu.Lock()
	s.up = false
	s.mu.Unlock()
	s.Cut()
	s.running.Wait()
}

// Boot lets a server that was shut down serve again.
func (s *Server) Boot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = !s.closed
}

// Reboot is a restart of the machine that takes no time.
func (s *Server) Reboot() {
	s.Shutdown()
	s.Boot()
}

// Close stops serving, ends all processes and waits for everything that the server
// has started.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, listener := range s.listeners {
		_ = listener.Close() // it may be closed already
	}
	s.mu.Unlock()
	s.Shutdown()
}

// Started are the lines of all commands that were started since the server was
// made, in order. An interactive shell is an empty line.
func (s *Server) Started() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.started)
}
