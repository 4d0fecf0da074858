package endpoint

import (
	"net"
	"sync"
	"time"
)

// gate lets connections in only while the machine would. Its port refuses connections
// until then; one that the system chose is kept, and there they are reset. It can reset
// all that it has let in.
type gate struct {
	address *net.TCPAddr
	kept    bool // the port stays listened on, as another program could take it
	open    func() bool
	queue   chan net.Conn // those that were let in

	mu       sync.Mutex
	listener net.Listener // none while connections are refused
	conns    map[*gated]bool
}

func newGate(address string, open func() bool) (*gate, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	g := &gate{address: resolved, kept: resolved.Port == 0, open: open, queue: make(chan net.Conn), conns: map[*gated]bool{}}
	if !g.kept {
		return g, nil
	}
	if g.listener, err = net.ListenTCP("tcp", resolved); err != nil {
		return nil, err
	}
	g.address = g.listener.Addr().(*net.TCPAddr)
	return g, nil
}

// Addr is where the gate is.
func (g *gate) Addr() net.Addr { return g.address }

// raise listens, unless it does; connections are let in by workers.
func (g *gate) raise(workers *sync.WaitGroup) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		return nil
	}
	l, err := net.ListenTCP("tcp", g.address)
	if err != nil {
		return err
	}
	g.listener = l
	workers.Go(func() { g.admit(l) })
	return nil
}

// lower ends listening, but on a port that is kept.
func (g *gate) lower() {
	if !g.kept {
		g.close()
	}
}

// close ends listening.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener != nil {
		_ = g.listener.Close() // it is not listened on any more either way
		g.listener = nil
	}
}

// admit lets connections in until the listener is closed. One that no server takes
// within a while is reset.
func (g *gate) admit(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		if !g.open() {
			reset(conn)
			continue
		}
		in := &gated{Conn: conn, gate: g}
		g.mu.Lock()
		g.conns[in] = true
		g.mu.Unlock()
		select {
		case g.queue <- in:
		case <-time.After(takeTime):
			reset(conn)
		}
	}
}

// takeTime is how long a connection waits for a server that is being changed.
const takeTime = 5 * time.Second

// cut resets all connections.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for in := range g.conns {
		reset(in.Conn)
	}
	clear(g.conns)
}

// gated is a connection that was let in.
type gated struct {
	net.Conn
	gate *gate
}

// Close ends the connection.
func (c *gated) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// reset ends a connection as a machine does that knows nothing of it.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end is only less abrupt
	}
	_ = conn.Close()
}
