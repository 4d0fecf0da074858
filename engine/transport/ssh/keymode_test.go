package ssh_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

func TestPrivateKeyThatOthersCanReadIsNotTried(t *testing.T) {
	t.Parallel()
	s := sshd.Start(t)
	key := filepath.Join(t.TempDir(), "id")
	text, err := os.ReadFile(s.ClientKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c := ssh.Config{Name: "web1", Address: s.Host, Port: s.Port, User: s.User, IdentityFiles: []string{key}, KnownHosts: []string{s.KnownHosts}}
	conn, err := ssh.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(key, 0o666); err != nil {
		t.Fatal(err)
	}
	want := "not tried: not trusted: the private key " + key + " is open to other users (mode 0666). Run 'chmod 600 " + key + "'"
	if _, err := ssh.Dial(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
