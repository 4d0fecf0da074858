package podmantest

import (
	"net"
	"os"
	threads "runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Listen listens on the loopback address of the host's network namespace, where its
// podman reaches it, until the test ends.
func (h *Host) Listen(t testing.TB) net.Listener {
	t.Helper()
	type result struct {
		listener net.Listener
		err      error
	}
	done := make(chan result)
	go func() {
		// The thread is in another namespace from here on; it ends with this goroutine,
		// which never unlocks it.
		threads.LockOSThread()
		listener, err := listenIn("/run/netns/" + h.netns)
		done <- result{listener, err}
	}()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() { _ = r.listener.Close() })
	return r.listener
}

func listenIn(namespace string) (net.Listener, error) {
	handle, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	if err := unix.Setns(int(handle.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	return net.Listen("tcp", "127.0.0.1:0")
}
