package ssh_test

import (
	"os"
	"os/exec"
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest"
	"kinit/engine/transport/transporttest/sshd"
)

// config is how to reach a test server.
func config(s *sshd.Server) ssh.Config {
	return ssh.Config{
		Name: "node1", Address: s.Host, Port: s.Port, User: s.User,
		IdentityFiles: []string{s.ClientKey}, KnownHosts: []string{s.KnownHosts},
	}
}

func dial(t *testing.T, c ssh.Config) *ssh.Conn {
	t.Helper()
	conn, err := ssh.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestConn(t *testing.T) {
	server := sshd.Start(t)
	transporttest.Run(t, func(t *testing.T) transport.Conn { return dial(t, config(server)) })
}

// The shells that /bin/sh is on the machines kinit knows: dash on Debian, bash on
// Fedora, busybox on Alpine.
func TestConnWithOtherShells(t *testing.T) {
	for _, name := range []string{"bash", "busybox"} {
		t.Run(name, func(t *testing.T) {
			shell, err := exec.LookPath(name)
			if err != nil || os.Geteuid() != 0 {
				sshd.Missing(t, name, "it must be installed, and root must run the test")
			}
			server := sshd.Options{Shell: shell}.Start(t)
			transporttest.Run(t, func(t *testing.T) transport.Conn { return dial(t, config(server)) })
		})
	}
}
