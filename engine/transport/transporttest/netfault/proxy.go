// Package netfault is a TCP proxy between a client and a real server that fails at a
// chosen message: it cuts the connection, falls silent, or lets one end vanish.
package netfault

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"kinit/engine/pace"
)

// Fault is a way in which a connection fails.
type Fault int

// The faults.
const (
	None     Fault = iota
	Cut            // both ends are closed
	Stall          // nothing passes any more, in either direction, and neither side closes
	HalfOpen       // the server has gone; the client does not learn it, and what it sends is lost
)

// String is the fault in words.
func (f Fault) String() string { return [...]string{"none", "cut", "stall", "half open"}[f] }

// Plan is one fault, at a message of the client.
type Plan struct {
	Fault Fault
	At    int  // the message, counted over all connections since the plan was made, from 1
	After bool // the server still gets the message, and only the answer is lost
}

// Proxy passes connections on. What is planned happens once, to the connection that the
// message is on; connections made later are fine.
type Proxy struct {
	Address string // host:port

	to    string
	owned sync.WaitGroup
	life  context.Context // ends with the test

	mu      sync.Mutex
	plan    Plan
	seen    int // messages of clients since the plan was made
	struck  bool
	gone    bool // the server has vanished
	slow    time.Duration
	current map[*passage]bool
}

// New starts a proxy to a server. It ends with the test.
func New(t testing.TB, to string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	alive, end := context.WithCancel(context.Background())
	p := &Proxy{Address: listener.Addr().String(), to: to, life: alive, current: map[*passage]bool{}}
	p.owned.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.owned.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		end()
		p.owned.Wait()
	})
	return p
}

// Set plans a fault and counts from now on.
func (p *Proxy) Set(plan Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan, p.seen, p.struck = plan, 0, false
}

// Seen is how many messages of clients there were since the plan was made, and whether
// the fault has happened.
func (p *Proxy) Seen() (messages int, struck bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen, p.struck
}

// Vanish makes the server vanish without a word: all connections stall, those too that are
// made later.
func (p *Proxy) Vanish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for c := range p.current {
		c.strike(Stall)
	}
}

// Drop closes both ends of all connections, those too that have failed: a server keeps what
// a silent client has started.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.current {
		close(c.dropped)
		delete(p.current, c)
	}
}

// Slow makes each message of clients wait for so long, from now on.
func (p *Proxy) Slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow = by
}

// dally makes a message wait. It is false when the test has ended.
func (p *Proxy) dally() bool {
	p.mu.Lock()
	by := p.slow
	p.mu.Unlock()
	return pace.Wait(p.life, by) == nil
}

func (p *Proxy) isGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// next counts a message and returns what is to happen at it.
func (p *Proxy) next() Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	if p.plan.Fault == None || p.seen != p.plan.At {
		return Plan{}
	}
	p.struck = true
	return p.plan
}

// passage is one connection through the proxy.
type passage struct {
	client, server net.Conn
	once           sync.Once
	silent         chan struct{} // closed when nothing passes to the client any more
	dropped        chan struct{} // closed when the proxy forgets the connection
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	if p.isGone() {
		<-p.life.Done()
		return
	}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	c := &passage{client: client, server: server, silent: make(chan struct{}), dropped: make(chan struct{})}
	p.mu.Lock()
	p.current[c] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.current, c)
	}()
	var both sync.WaitGroup
	both.Go(func() { p.up(c) })
	both.Go(func() { c.down() })
	over := make(chan struct{})
	go func() {
		both.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-p.life.Done():
	case <-c.dropped:
	}
	if c.isSilent() { // the client must not see an end
		select {
		case <-p.life.Done():
		case <-c.dropped:
		}
	}
	_ = client.Close()
	_ = server.Close()
	<-over
}

func (c *passage) strike(f Fault) {
	c.once.Do(func() {
		switch f {
		case Cut:
			_ = c.client.Close()
			_ = c.server.Close()
		case Stall:
			close(c.silent)
		case HalfOpen:
			close(c.silent)
			_ = c.server.Close()
		}
	})
}

func (c *passage) isSilent() bool {
	select {
	case <-c.silent:
		return true
	default:
		return false
	}
}

// up passes messages of the client on. Once the connection is silent it reads nothing
// more, so that what the client sends fills the buffers on the way.
func (p *Proxy) up(c *passage) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.client.Read(buffer)
		if err != nil || !p.dally() || c.isSilent() {
			break
		}
		plan := p.next()
		if plan.Fault != None && !plan.After {
			c.strike(plan.Fault)
			break
		}
		_, err = c.server.Write(buffer[:n])
		if plan.Fault != None {
			c.strike(plan.Fault)
			break
		}
		if err != nil {
			break
		}
	}
	if !c.isSilent() {
		if half, ok := c.server.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
	}
}

// down passes what the server says.
func (c *passage) down() {
	_, _ = io.Copy(hushed{c}, c.server)
	if !c.isSilent() {
		_ = c.client.Close()
	}
}

// hushed is the client, until the connection is silent.
type hushed struct{ passage *passage }

func (h hushed) Write(b []byte) (int, error) {
	if h.passage.isSilent() {
		return 0, net.ErrClosed
	}
	return h.passage.client.Write(b)
}
