// Package endpoint serves a simulated machine on the network as the machine itself says:
// WS-Management where it has listeners and its service runs, SSH while its service runs,
// both only where the firewall lets them in. It is deaf while the machine is down or its
// network is cut.
package endpoint

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/sshd"
	"kinit/test/winsim/wsman"
)

// Ports of the machine.
const (
	HTTP  = 5985
	HTTPS = 5986
	SSH   = 22
)

// Options say where the machine's ports are on the real host: an address such as
// "127.0.0.1:0" by the machine's port. A port that is missing is not served. Where the
// machine admits no login, connections are refused; on a port that the system chooses they
// are reset, for the port to stay the machine's.
type Options struct {
	Listen map[int]string
	// Failed is told what the machine was asked for and does not know.
	Failed func(error)
}

// Endpoint serves one machine.
type Endpoint struct {
	m       *machine.Machine
	options Options
	gates   map[int]*gate

	adjusting sync.Mutex // held while servers are made and ended

	mu      sync.Mutex
	up      bool
	cut     bool
	servers map[int]*server
	workers sync.WaitGroup
}

// server is what serves a port now.
type server struct {
	about string // what it was made of: another text needs another server
	close func()
	wsman *wsman.Server
}

// look is how often the machine is looked at for what it serves.
const look = 250 * time.Millisecond

// New serves from when the machine comes up until ctx ends. It must be
// called before the machine is switched on; Close waits for the end.
func New(ctx context.Context, m *machine.Machine, o Options) (*Endpoint, error) {
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	e := &Endpoint{m: m, options: o, gates: map[int]*gate{}, servers: map[int]*server{}}
	for port, address := range o.Listen {
		g, err := newGate(address, func() bool { return e.admits(port) })
		if err != nil {
			e.closeGates()
			return nil, fmt.Errorf("serve port %d of the machine: %w", port, err)
		}
		e.gates[port] = g
	}
	for _, g := range e.gates {
		if l := g.listener; l != nil {
			e.workers.Go(func() { g.admit(l) })
		}
	}
	m.Observe(e)
	e.workers.Go(func() { e.follow(ctx) })
	return e, nil
}

// Addr is where a port of the machine is on the real host.
func (e *Endpoint) Addr(port int) net.Addr {
	if g := e.gates[port]; g != nil {
		return g.Addr()
	}
	return nil
}

// Plan has requests that come to a port of WS-Management go wrong, as the rules say; they
// are forgotten when the machine goes down. It tells whether the port is served now.
func (e *Endpoint) Plan(port int, rules ...wsman.Rule) bool {
	s := e.management(port)
	if s != nil {
		s.Plan(rules...)
	}
	return s != nil
}

// Unplan forgets what Plan was told for a port.
func (e *Endpoint) Unplan(port int) {
	if s := e.management(port); s != nil {
		s.Unplan()
	}
}

// management is the server of WS-Management on a port, or nil.
func (e *Endpoint) management(port int) *wsman.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.servers[port]; s != nil {
		return s.wsman
	}
	return nil
}

// Close waits until nothing is served any more. The context of New must have ended.
func (e *Endpoint) Close() { e.workers.Wait() }

func (e *Endpoint) closeGates() {
	for _, g := range e.gates {
		g.close()
		g.cut()
	}
}

// admits reports whether a connection to a port is let in. It is served as the machine is
// now: a service that was restarted since the machine was last looked at may have another key.
func (e *Endpoint) admits(port int) bool {
	if !e.m.Reachable(port) {
		return false
	}
	e.adjust()
	return e.listening(port)
}

func (e *Endpoint) listening(port int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.up && !e.cut && e.servers[port] != nil
}

// PowerOff ends connections and commands.
func (e *Endpoint) PowerOff() {
	e.adjusting.Lock()
	defer e.adjusting.Unlock()
	e.mu.Lock()
	e.up = false
	all := e.servers
	e.servers = map[int]*server{}
	e.mu.Unlock()
	for port, s := range all {
		e.gates[port].cut()
		s.close()
	}
}

// PowerOn serves again.
func (e *Endpoint) PowerOn() {
	e.mu.Lock()
	e.up = true
	e.mu.Unlock()
	e.adjust()
}

// NetworkDown resets connections; commands run on.
func (e *Endpoint) NetworkDown() {
	e.mu.Lock()
	e.cut = true
	e.mu.Unlock()
	for _, g := range e.gates {
		g.cut()
	}
}

// NetworkUp lets connections in again.
func (e *Endpoint) NetworkUp() {
	e.mu.Lock()
	e.cut = false
	e.mu.Unlock()
}

// follow adjusts what is served to what the machine says, until ctx ends.
func (e *Endpoint) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			e.PowerOff()
			e.closeGates()
			return
		case <-time.After(look):
			e.adjust()
			e.moveGates()
		}
	}
}

// moveGates listens where connections are let in, and nowhere else.
func (e *Endpoint) moveGates() {
	for port, g := range e.gates {
		if !e.m.Reachable(port) || !e.listening(port) {
			g.lower()
			continue
		}
		if err := g.raise(&e.workers); err != nil {
			e.options.Failed(fmt.Errorf("serve port %d of the machine: %w", port, err))
		}
	}
}

// adjust starts and ends servers.
func (e *Endpoint) adjust() {
	e.adjusting.Lock()
	defer e.adjusting.Unlock()
	for port := range e.gates {
		about, begin := e.wanted(port)
		e.mu.Lock()
		old := e.servers[port]
		up := e.up
		e.mu.Unlock()
		switch {
		case !up || old != nil && old.about == about:
			if up && old != nil && old.wsman != nil {
				old.wsman.Configure(e.configure)
			}
			continue
		case old != nil:
			e.drop(port, old)
		}
		if about != "" {
			e.serve(port, about, begin)
		}
	}
}

func (e *Endpoint) drop(port int, s *server) {
	e.mu.Lock()
	delete(e.servers, port)
	e.mu.Unlock()
	s.close()
	e.gates[port].cut()
}

// serve starts a server, unless the machine went down meanwhile.
func (e *Endpoint) serve(port int, about string, begin func(net.Listener) (*server, error)) {
	s, err := begin(newShare(e.gates[port]))
	if err != nil {
		e.options.Failed(err)
		return
	}
	s.about = about
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.up {
		s.close()
		return
	}
	e.servers[port] = s
}

// running reports whether a service of the machine runs.
func (e *Endpoint) running(service string) bool {
	status, err := e.m.Services.Status(service)
	return err == nil && status.State == scm.Running
}

// wanted says what a port is to be served by: an empty text for nothing.
func (e *Endpoint) wanted(port int) (about string, begin func(net.Listener) (*server, error)) {
	if port == SSH {
		return e.wantedSSH()
	}
	if !e.running("WinRM") {
		return "", nil
	}
	for _, l := range e.m.Listeners() {
		if l.WithPort().Port == port {
			return l.Transport + " " + l.Thumbprint, func(on net.Listener) (*server, error) { return e.winRM(on, l) }
		}
	}
	return "", nil
}

// winRM serves WS-Management.
func (e *Endpoint) winRM(on net.Listener, l machine.Listener) (*server, error) {
	o := wsman.Options{
		Runner: e.m, Login: e.m, Computer: e.m.ComputerName(), Version: fmt.Sprintf("10.0.%d", e.m.Release().Build),
		Language: e.m.Language(), Now: e.m.Now, Failed: e.options.Failed,
	}
	e.configure(&o.Settings)
	serve := (*wsman.Server).Serve
	if l.Transport == "HTTPS" {
		pair, err := e.certificate(l.Thumbprint)
		if err != nil {
			return nil, err
		}
		o.Certificate, serve = &pair, (*wsman.Server).ServeTLS
	}
	s := wsman.New(o)
	return e.run(on, s.Close, s, func() error { return serve(s, on) }), nil
}

// configure sets what the machine's settings of WS-Management say.
func (e *Endpoint) configure(s *wsman.Settings) {
	is := func(path string) bool {
		text, _ := e.m.WinRM(path)
		return strings.EqualFold(text, "true")
	}
	number := func(path string) int {
		text, _ := e.m.WinRM(path)
		n, _ := strconv.Atoi(text) // the settings have numbers by default
		return n
	}
	s.Basic, s.NoNegotiate, s.Certificate = is(`Service\Auth\Basic`), !is(`Service\Auth\Negotiate`), is(`Service\Auth\Certificate`)
	s.AllowUnencrypted = is(`Service\AllowUnencrypted`)
	s.MaxEnvelopeSize = number("MaxEnvelopeSizekb") << 10
	s.MaxTimeout = time.Duration(number("MaxTimeoutms")) * time.Millisecond
}

func (e *Endpoint) certificate(thumbprint string) (tls.Certificate, error) {
	for _, c := range e.m.Certificates() {
		if strings.EqualFold(c.Thumbprint, thumbprint) {
			return tls.X509KeyPair(c.CertPEM, c.KeyPEM)
		}
	}
	return tls.Certificate{}, fmt.Errorf("the listener's certificate %s is not in the store", thumbprint)
}

// hostKey is where OpenSSH keeps its key.
const hostKey = `C:\ProgramData\ssh\ssh_host_ed25519_key`

func (e *Endpoint) wantedSSH() (string, func(net.Listener) (*server, error)) {
	if !e.running("sshd") {
		return "", nil
	}
	key, err := e.m.Files.ReadFile(hostKey)
	if err != nil {
		key, err = e.newHostKey()
	}
	if err != nil {
		e.options.Failed(err)
		return "", nil
	}
	return "SSH " + string(key), func(on net.Listener) (*server, error) {
		signer, err := ssh.ParsePrivateKey(key)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", hostKey, err)
		}
		s := sshd.New(sshd.Options{
			Runner: e.m, Login: e.m, HostKey: signer, Files: files{e.m}, Dial: e.m.Dial, Failed: e.options.Failed,
		})
		return e.run(on, s.Close, nil, func() error { return s.Serve(on) }), nil
	}
}

// newHostKey makes the key that the service makes at its first start. If somebody writes one
// meanwhile, that one is returned.
func (e *Endpoint) newHostKey() ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	if err := e.m.Files.Mkdir(`C:\ProgramData\ssh`); err != nil {
		return nil, err
	}
	const made = hostKey + ".new"
	if err := e.m.Files.WriteFile(made, text); err != nil {
		return nil, err
	}
	if e.m.Files.Rename(made, hostKey, false) == nil {
		return text, nil
	}
	if err := e.m.Files.Remove(made, true); err != nil {
		return nil, err
	}
	return e.m.Files.ReadFile(hostKey)
}

// run serves in the background until it is closed.
func (e *Endpoint) run(on net.Listener, end func(), w *wsman.Server, serve func() error) *server {
	done := make(chan struct{})
	e.workers.Go(func() {
		defer close(done)
		if err := serve(); err != nil && !errors.Is(err, net.ErrClosed) {
			e.options.Failed(err)
		}
	})
	return &server{wsman: w, close: func() {
		_ = on.Close() // it only stops this server from accepting
		end()
		<-done
	}}
}
