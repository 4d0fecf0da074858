package wsman

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"

	"kinit/test/winsim/wsman/internal/ntlm"
	"kinit/test/winsim/wsman/internal/shell"
)

// Server is a WinRM service. Its methods may be called by several goroutines.
type Server struct {
	options  Options
	bindings []byte // of NTLM on HTTPS

	mu       sync.Mutex
	settings Settings
	host     *shell.Host // nil while the machine is down
	conns    map[*conn]bool
	servers  []*http.Server
	closed   bool
	rules    []*rule
	requests map[Action]int
	started  []string
	handlers sync.WaitGroup
}

// New makes a server that listens nowhere yet.
func New(o Options) *Server {
	s := &Server{options: o.withDefaults(), settings: o.Settings.withDefaults(), conns: map[*conn]bool{}, requests: map[Action]int{}}
	s.host = s.newHost()
	return s
}

func (s *Server) newHost() *shell.Host {
	return shell.NewHost(s.options.Runner, s.settings.Quotas, shell.Hooks{
		Failed: s.options.Failed,
		Started: func(line string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.started = append(s.started, line)
		},
	})
}

// Serve serves HTTP until the listener or the server is closed, and returns nil
// then. It may be called for several listeners.
func (s *Server) Serve(listener net.Listener) error {
	return s.serve(&tracker{Listener: listener, server: s})
}

// ServeTLS serves HTTPS like Serve.
func (s *Server) ServeTLS(listener net.Listener) error {
	if s.options.Certificate == nil {
		return errors.New("serve HTTPS: the options have no Certificate")
	}
	leaf, err := x509.ParseCertificate(s.options.Certificate.Certificate[0])
	if err != nil {
		return fmt.Errorf("serve HTTPS: %w", err)
	}
	s.mu.Lock()
	s.bindings = ntlm.Bindings(leaf)
	s.mu.Unlock()
	return s.serve(tls.NewListener(&tracker{Listener: listener, server: s}, &tls.Config{
		Certificates: []tls.Certificate{*s.options.Certificate},
		// Whose it is, is looked up by its thumbprint; no authority has to have signed it.
		ClientAuth: tls.RequestClientCert,
	}))
}

func (s *Server) serve(listener net.Listener) error {
	server := &http.Server{
		Handler:     http.HandlerFunc(s.serveHTTP),
		ConnContext: withConn,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	s.mu.Lock()
	closed := s.closed
	s.servers = append(s.servers, server)
	s.mu.Unlock()
	if closed {
		return listener.Close()
	}
	err := server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Close stops serving, ends all commands and waits for everything that the server
// has started.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	servers := s.servers
	s.mu.Unlock()
	for _, server := range servers {
		_ = server.Close()
	}
	s.Shutdown()
}

// Shutdown cuts all connections, ends all commands, forgets all shells and waits
// for that. Until Boot, connections are accepted and reset at once.
func (s *Server) Shutdown() {
	s.mu.Lock()
	host := s.host
	s.host = nil
	for c := range s.conns {
		c.cut()
	}
	s.mu.Unlock()
	if host != nil {
		host.Close()
	}
	s.handlers.Wait()
}

// Boot lets a server that was shut down serve again, with no shells.
func (s *Server) Boot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.host == nil && !s.closed {
		s.host = s.newHost()
	}
}

// Reboot is a restart of the machine that takes no time.
func (s *Server) Reboot() {
	s.Shutdown()
	s.Boot()
}

// Configure changes settings. Requests that come later see the change.
func (s *Server) Configure(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
	s.settings = s.settings.withDefaults()
}

// Expire closes all shells that no request works on, as if their idle time was over.
func (s *Server) Expire() {
	if host := s.up(); host != nil {
		host.Expire()
	}
}

// Shells is how many shells are open.
func (s *Server) Shells() int {
	host := s.up()
	if host == nil {
		return 0
	}
	return host.Open()
}

// Started are the lines of all commands that were started since the server was
// made, in order.
func (s *Server) Started() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.started)
}

// Requests is how many requests of an action have come from clients that may log
// in, whatever was answered.
func (s *Server) Requests(action Action) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[action]
}

// up is the host, or nil while the machine is down.
func (s *Server) up() *shell.Host {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host
}

func (s *Server) current() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}
