package relay_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"kinit/modules/internal/relay"
)

// greeter says hello to each caller, and hangs up.
func greeter(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "hello")
			_ = conn.Close()
		}
	}()
	return path
}

func dial(t *testing.T, r *relay.Relay) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", r.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAnEndThatIsHeldBackComesWithRelease(t *testing.T) {
	t.Parallel()
	r, err := relay.NewHeld(greeter(t), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	conn := dial(t, r)
	<-r.Ended()
	text := make([]byte, len("hello"))
	if _, err := io.ReadFull(conn, text); err != nil || string(text) != "hello" {
		t.Fatalf("read: %q, %v", text, err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	var late net.Error
	if _, err := conn.Read(text); !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("read before the release: %v, want nothing to come", err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	r.Release()
	if _, err := conn.Read(text); !errors.Is(err, io.EOF) {
		t.Errorf("read after the release: %v, want %v", err, io.EOF)
	}
}

func TestATargetThatIsNotThereEndsTheRelay(t *testing.T) {
	t.Parallel()
	r, err := relay.NewHeld(filepath.Join(t.TempDir(), "none"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := dial(t, r).Read(make([]byte, 1)); err == nil {
		t.Error("read: no error")
	}
	<-r.Ended()
	if r.Failure() == nil {
		t.Error("no failure is kept")
	}
}
