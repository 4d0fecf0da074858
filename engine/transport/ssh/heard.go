package ssh

import (
	"fmt"
	"net"
	"strings"
	"sync"

	"kinit/engine/transport/internal/framing"
)

// mostHeard is the most, in bytes, that is kept of a machine's output before the protocol
// begins.
const mostHeard = 2 << 10

// quoted returns a machine's first output in one line, for an error message.
func quoted(said *framing.Head) string {
	if text := strings.TrimSpace(said.String()); text != "" {
		return fmt.Sprintf("%q", text)
	}
	return "nothing"
}

// slow returns the error for a program that did not begin in time, with its output.
func (c Config) slow(what string, said *framing.Head) error {
	return unreachable(what, fmt.Errorf("it did not begin within %s; all that came was %s", c.HandshakeTimeout, quoted(said)))
}

// hearing is a connection that keeps the first received data, and shows when it was closed.
type hearing struct {
	net.Conn
	first  *framing.Head
	once   sync.Once
	closed chan struct{}
}

func newHearing(conn net.Conn) *hearing {
	return &hearing{Conn: conn, first: framing.NewHead(mostHeard), closed: make(chan struct{})}
}

// Close closes the connection. The library calls it when it gives the connection up.
func (h *hearing) Close() error {
	h.once.Do(func() { close(h.closed) })
	return h.Conn.Close()
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	_, _ = h.first.Write(p[:n])
	return n, err
}

// said returns the server's version, or its first output if it is no SSH server. The data
// after the version is no text.
func (h *hearing) said() string {
	text := h.first.String()
	if version, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(version, "SSH-") {
		text = version
	}
	if text = strings.TrimSpace(text); text == "" {
		return "it said nothing"
	}
	return fmt.Sprintf("it said %q", text)
}
