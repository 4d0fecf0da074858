package endpoint

import (
	"net"
	"sync"
	"time"
)

// gate is a listener that lets connections in only while the machine would: others are
// reset. It can reset all that it has let in.
type gate struct {
	net.Listener
	open  func() bool
	queue chan net.Conn // those that were let in; closed with the listener

	mu    sync.Mutex
	conns map[*gated]bool
}

func newGate(l net.Listener, open func() bool) *gate {
	return &gate{Listener: l, open: open, queue: make(chan net.Conn), conns: map[*gated]bool{}}
}

// admit lets connections in until the listener is closed. One that no server takes
// within a while is reset.
func (g *gate) admit() {
	defer close(g.queue)
	for {
		conn, err := g.Accept()
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
