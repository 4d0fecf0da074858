package wsman

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"kinit/test/winsim/wsman/internal/ntlm"
)

// tracker is a listener that knows its connections, so that they can be cut.
type tracker struct {
	net.Listener
	server *Server
}

// Accept returns the next connection. Those of a machine that is down are reset.
func (t *tracker) Accept() (net.Conn, error) {
	for {
		raw, err := t.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: raw, server: t.server}
		if t.server.track(c) {
			return c, nil
		}
		c.cut()
	}
}

func (s *Server) track(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.host == nil {
		return false
	}
	s.conns[c] = true
	return true
}

// conn is a client's connection and what the client has proved on it. The fields of
// NTLM are used by one request at a time.
type conn struct {
	net.Conn
	server *Server
	once   sync.Once

	handshake *ntlm.Handshake // a challenge was sent
	user      string          // who has logged in by NTLM, on this connection
	session   *ntlm.Session   // how messages are sealed since
}

// Close forgets the connection.
func (c *conn) Close() error {
	c.server.mu.Lock()
	delete(c.server.conns, c)
	c.server.mu.Unlock()
	return c.close()
}

func (c *conn) close() (err error) {
	c.once.Do(func() { err = c.Conn.Close() })
	return err
}

// cut ends the connection by a reset, as a crash does.
func (c *conn) cut() {
	if lingerer, ok := c.Conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = lingerer.SetLinger(0) // a close is enough where it cannot be set
	}
	_ = c.close()
}

// forget drops what was proved.
func (c *conn) forget() { c.handshake, c.user, c.session = nil, "", nil }

type connKey struct{}

// withConn puts the connection into the contexts of its requests.
func withConn(ctx context.Context, raw net.Conn) context.Context {
	if encrypted, ok := raw.(*tls.Conn); ok {
		raw = encrypted.NetConn()
	}
	return context.WithValue(ctx, connKey{}, raw)
}

func connOf(ctx context.Context) *conn { return ctx.Value(connKey{}).(*conn) }
