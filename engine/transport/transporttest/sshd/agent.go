package sshd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Agent runs an ssh-agent without keys for the test, and returns its socket.
func Agent(t testing.TB) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kinit-agent-") // short enough for a socket
	fatal(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "agent")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	fatal(t, agent.Start())
	t.Cleanup(func() {
		_ = agent.Process.Kill()
		_ = agent.Wait()
	})
	deadline := time.Now().Add(30 * time.Second)
	for _, err := os.Stat(socket); err != nil; _, err = os.Stat(socket) {
		if time.Now().After(deadline) {
			t.Fatalf("ssh-agent has not made its socket: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return socket
}
