package ssh

import (
	"errors"
	"fmt"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

func TestAuthRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain": true,
		"ssh: handshake failed: ssh: disconnect, reason 2: Too many authentication failures":                                  true,
		"ssh: handshake failed: EOF":                       false,
		"ssh: handshake failed: read: connection reset":    false,
		"ssh: handshake failed: ssh: no common algorithms": false,
	} {
		if got := authRefused(errors.New(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if !channelRefused(fmt.Errorf("open: %w", &gossh.OpenChannelError{})) || channelRefused(errors.New("EOF")) {
		t.Error("a refused channel is not told from a lost connection")
	}
}
