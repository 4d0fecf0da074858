package ssh

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// carried is a connection from the machine, over a channel of the link. A Read or a
// Write of the channel itself ends only when the server says so, or with the link. Those
// of a carried one end with its Close and at its deadlines, so that whoever uses it never
// waits for a machine that has vanished.
type carried struct {
	net.Conn          // the channel
	received net.Conn // gives what came
	sent     net.Conn // takes what is to go
	once     sync.Once
	closed   chan struct{}
}

// carry lets a channel be closed at any time. The goroutines that wait for the channel
// are the link's.
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
	_ = c.Close() // the link ends, and what was begun with it
	return nil, errCut
}

// receive copies what comes.
func (c *carried) receive(to net.Conn) {
	_, _ = io.Copy(to, c.Conn) // the end of either is the end
	_ = to.Close()
}

// send copies what is to go, and tells the machine where it ends.
func (c *carried) send(from net.Conn) {
	_, _ = io.Copy(c.Conn, from)
	_ = from.Close()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// settled waits until what was written has gone to the server, not for long.
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

// ended calls a pipe that was closed what a connection is called then.
func ended(err error) error {
	if errors.Is(err, io.ErrClosedPipe) {
		return net.ErrClosed
	}
	return err
}

// CloseWrite tells the other end that nothing more comes.
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

// SetWriteDeadline is for what the link has not taken yet.
func (c *carried) SetWriteDeadline(t time.Time) error { return c.sent.SetWriteDeadline(t) }
