package ssh

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
)

// mostHeard is the most, in bytes, that is kept of what a machine says before it is
// understood.
const mostHeard = 2 << 10

// beginning keeps the first words of a machine, for the message when no more follow.
type beginning struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *beginning) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p[:min(len(p), mostHeard-b.text.Len())])
	return len(p), nil
}

// String is the first words in one line, quoted where they are not plain text; empty
// when nothing came.
func (b *beginning) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.TrimSpace(b.text.String())
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}

// hearing is a connection that keeps what comes first.
type hearing struct {
	net.Conn
	first beginning
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	_, _ = h.first.Write(p[:n])
	return n, err
}

// said is what the server said: its version, or what no SSH server says. What follows
// the version is no text.
func (h *hearing) said() string {
	h.first.mu.Lock()
	defer h.first.mu.Unlock()
	text := h.first.text.String()
	if version, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(version, "SSH-") {
		text = version
	}
	if text = strings.TrimSpace(text); text == "" {
		return "it said nothing"
	}
	return fmt.Sprintf("it said %q", text)
}
