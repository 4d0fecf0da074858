package ssh_test

import (
	"bytes"
	"io"
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/sshd"
)

// late is a terminal at which somebody types without end, once there is output.
type late struct {
	endless
	seen <-chan struct{}
}

func (l late) Read(b []byte) (int, error) {
	<-l.seen
	return l.endless.Read(b)
}

func TestALineThatEndsBeforeItsInputIsNoLostConnection(t *testing.T) {
	t.Parallel()
	c := dial(t, config(sshd.Start(t)))
	for range 20 {
		var out bytes.Buffer
		seen := make(chan struct{})
		code, err := c.Interact(t.Context(), "echo done", transport.Terminal{
			In: late{seen: seen}, Out: io.MultiWriter(&out, &begun{seen: seen}), Err: io.Discard,
		})
		if err != nil || code != 0 || out.String() != "done\n" {
			t.Fatalf("code %d, error %v, output %q", code, err, out.String())
		}
	}
}
