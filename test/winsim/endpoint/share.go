package endpoint

import (
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"sync"

	"golang.org/x/crypto/ssh"
)

// share is a listener for one server on a gate that outlives it. Closing it leaves the
// gate open for the next server.
type share struct {
	*gate
	done chan struct{}
	once sync.Once
}

// newShare returns a listener on a gate. Only one may be in use at a time.
func newShare(g *gate) *share {
	return &share{gate: g, done: make(chan struct{})}
}

// Accept waits for a connection, or for the share's end.
func (s *share) Accept() (net.Conn, error) {
	select {
	case conn := <-s.queue:
		return conn, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (s *share) Close() error {
	s.once.Do(func() { close(s.done) })
	return nil
}

// encodeKey is a key of SSH in OpenSSH's own form.
func encodeKey(key ed25519.PrivateKey) ([]byte, error) {
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(block), nil
}
