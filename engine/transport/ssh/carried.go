package ssh

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// carried is a connection from the machine, over a channel of the link. A Read or Write of
// the channel itself ends only when the server ends it, or with the link. Those of a
// carried connection also end with its Close and at its deadlines, so that they never wait
// for a machine that has vanished.
type carried struct {
	net.Conn          // the channel
	received net.Conn // the received data
	sent     net.Conn // the data to send
	once     sync.Once
	closed   chan struct{}
}

// carry makes a channel that can be closed at any time. The goroutines that wait for the
// channel belong to the link.
func (l *link) carry(channel net.Conn) (net.Conn, error) {
	received, giving := net.Pipe()
	taking, sent := net.Pipe()
	c := &carried{Conn: channel, received: received, sent: sent, closed: make(chan struct{})}
	flushed := make(chan struct{})
	if l.spawn(func() { c.receive(giving) }) &&
		l.spawn(func() {
			defer close(flushed)
			c.send(taking)
		}) &&
		l.spawn(func() {
			select {
			case <-c.closed:
				l.settled(flushed)
			case <-l.done:
				_ = giving.Close()
				_ = taking.Close()
			}
			_ = channel.Close()
		}) {
		return c, nil
	}
	_ = c.Close() // the link ends, and so do its connections
	return nil, errCut
}

// receive copies data from the machine.
func (c *carried) receive(to net.Conn) {
	_, _ = io.Copy(to, c.Conn) // the end of either side ends the copy
	_ = to.Close()
}

// send copies data to the machine, and signals the end to it.
func (c *carried) send(from net.Conn) {
	_, _ = io.Copy(c.Conn, from)
	_ = from.Close()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// settled waits, for a limited time, until written data was sent to the server.
func (l *link) settled(flushed <-chan struct{}) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-flushed:
	case <-l.done:
	case <-timer.C:
	}
}

func (c *carried) Read(p []byte) (int, error) {
	n, err := c.received.Read(p)
	return n, ended(err)
}

func (c *carried) Write(p []byte) (int, error) {
	n, err := c.sent.Write(p)
	return n, ended(err)
}

// ended converts the error of a closed pipe to that of a closed connection.
func ended(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return net.ErrClosed
	}
	return err
}

// CloseWrite signals the end of the data to the other side.
func (c *carried) CloseWrite() error { return c.sent.Close() }

// Close ends the connection and does not wait for the machine.
func (c *carried) Close() error {
	c.once.Do(func() { close(c.closed) })
	return errors.Join(c.sent.Close(), c.received.Close())
}

func (c *carried) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *carried) SetReadDeadline(t time.Time) error { return c.received.SetReadDeadline(t) }

// SetWriteDeadline applies to data that the link has not accepted yet.
func (c *carried) SetWriteDeadline(t time.Time) error { return c.sent.SetWriteDeadline(t) }
