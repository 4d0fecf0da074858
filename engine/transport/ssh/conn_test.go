package ssh_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kinit/engine/need"
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
	t.Parallel()
	server := sshd.Start(t)
	transporttest.Run(t, func(t *testing.T) transport.Conn { return dial(t, config(server)) })
}

// The shells that /bin/sh is on the machines kinit knows: dash on Debian, bash on
// Fedora, busybox on Alpine.
func TestConnWithOtherShells(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	for third, name := range []string{"bash", "busybox"} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				need.Missing(t, name, err.Error())
			}
			shell := filepath.Join(t.TempDir(), "sh") // what it is called decides how it behaves
			if err := os.Symlink(program, shell); err != nil {
				t.Fatal(err)
			}
			c := ssh.WithShell(config(server), shell)
			transporttest.Sample(t, third, func(t *testing.T) transport.Conn { return dial(t, c) })
		})
	}
}
