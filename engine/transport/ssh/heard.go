package ssh

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
)

// mostHeard is the most, in bytes, that is kept of a machine's output before the protocol
// begins.
const mostHeard = 2 << 10

// beginning keeps the first output of a machine, for an error message.
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

// String returns the first output in one line, quoted if it is not plain text; empty
// without output.
func (b *beginning) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.TrimSpace(b.text.String())
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}

// hearing is a connection that keeps the first received data.
type hearing struct {
	net.Conn
	first beginning
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	_, _ = h.first.Write(p[:n])
	return n, err
}

// said returns the server's version, or its first output if it is no SSH server. The data
// after the version is no text.
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
