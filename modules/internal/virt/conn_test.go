package virt_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

const socket = "/run/libvirt/libvirt-sock"

func TestOpenSaysThatLibvirtIsNotInstalled(t *testing.T) {
	t.Parallel()
	_, err := virt.Open(t.Context(), moduletest.NewFakeHost(t, "k8s"))
	if !errors.Is(err, virt.ErrNotInstalled) {
		t.Errorf("open: %v, want %v", err, virt.ErrNotInstalled)
	}
	want := "libvirt is not installed on fake: neither /run/libvirt/libvirt-sock nor /etc/libvirt/qemu exists; " +
		"install the package libvirt-daemon-system"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestOpenSaysThatLibvirtIsNotRunning(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/libvirt/qemu/networks/default.xml", "", 0o600)
	_, err := virt.Open(t.Context(), h)
	if !errors.Is(err, virt.ErrNotRunning) {
		t.Errorf("open: %v, want %v", err, virt.ErrNotRunning)
	}
	want := `libvirt does not answer on fake: start it with "systemctl start libvirtd" and see ` +
		`"journalctl -u libvirtd": /run/libvirt/libvirt-sock is missing`
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestOpenReportsThatNothingListens(t *testing.T) {
	t.Parallel()
	h := hostWithSocket(t, filepath.Join(t.TempDir(), "missing"))
	if _, err := virt.Open(t.Context(), h); !errors.Is(err, virt.ErrNotRunning) {
		t.Errorf("open: %v, want %v", err, virt.ErrNotRunning)
	}
}

func TestOpenEndsWithItsContextWhenLibvirtHangs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hangs")
	asked := hangingServer(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	start := time.Now()
	if _, err := virt.Open(ctx, hostWithSocket(t, path)); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v, want %v", err, context.Canceled)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("open took %v", took)
	}
}

func hostWithSocket(t *testing.T, local string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put(socket, "", 0o600)
	h.Sockets = map[string]string{socket: local}
	return h
}

// hangingServer reads what it is sent and never answers. The channel is closed
// when it was asked something.
func hangingServer(t *testing.T, path string) <-chan struct{} {
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked := make(chan struct{})
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		io.ReadFull(conn, make([]byte, 1))
		close(asked)
		io.Copy(io.Discard, conn)
	}()
	return asked
}
