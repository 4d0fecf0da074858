// Package virttest starts a real libvirtd for tests.
//
// The daemon and its guests live in mount, process and network namespaces of
// their own: nothing of the machine's libvirt is touched, and all of it is gone
// when the test ends.
package virttest

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/transport/local"
	"kinit/engine/transport/transporttest/ownroot"
)

// Bridge is a Linux bridge that every daemon's network namespace has.
const Bridge = "br-test"

// startWithin is how long a daemon may take to listen.
const startWithin = 30 * time.Second

//go:embed daemon.sh
var script string

// Host is a host whose libvirt and whose files are those of the daemon.
type Host struct {
	*moduletest.Local
	files  module.Files // of the daemon's mount namespace
	socket string
}

// Start runs a libvirtd with the QEMU driver until the test ends.
func Start(t testing.TB, owner string) *Host {
	t.Helper()
	need.Programs(t, "libvirt", "libvirtd", "qemu-system-x86_64", "ip", "mount")
	need.Root(t, "libvirt")
	dir, err := os.MkdirTemp("", "kinit-libvirtd-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cmd := command(dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The daemon is the first process of its namespace: its guests end with it.
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	h := &Host{
		Local:  moduletest.LocalHost(t, owner),
		socket: filepath.Join(dir, "libvirt-sock"),
	}
	h.wait(t, dir)
	conn := local.Within("nsenter", "--target="+strconv.Itoa(cmd.Process.Pid), "--mount")
	t.Cleanup(func() { _ = conn.Close() })
	if h.files, err = conn.Files(t.Context()); err != nil {
		t.Fatalf("open the files of the daemon: %v", err)
	}
	return h
}

func command(dir string) *exec.Cmd {
	log, _ := os.Create(filepath.Join(dir, "log"))
	cmd := exec.Command("sh", "-euc", script, "daemon", dir, Bridge, ownroot.Libvirt)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
	return cmd
}

func (h *Host) wait(t testing.TB, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startWithin)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := h.Dial(ctx, "unix", h.socket); err == nil {
			conn.Close()
			return
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("libvirtd does not listen: %s", log)
		case <-tick.C:
		}
	}
}

// Socket leads every path to the daemon's socket.
func (h *Host) Socket(ctx context.Context, _ string) (string, error) { return h.socket, ctx.Err() }

// Files are those of the daemon's mount namespace, with its socket where a host
// has it.
func (h *Host) Files() module.Files { return h.files }
