package sshd_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"kinit/engine/need"
	"kinit/test/winsim/process/processtest"
)

// options are those with which OpenSSH's clients reach the server and nothing of
// the user who runs the test.
func (s *service) clientOptions(t *testing.T) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	known := filepath.Join(t.TempDir(), "known_hosts")
	line := "[" + host + "]:" + port + " " + string(ssh.MarshalAuthorizedKey(s.host.PublicKey()))
	if err := os.WriteFile(known, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{
		"-F", "none", "-i", s.key, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes",
		"-o", "UserKnownHostsFile=" + known, "-o", "GlobalKnownHostsFile=none", "-o", "Port=" + port, "-o", "User=" + processtest.User,
	}
}

func TestOpenSSHsClientRunsALine(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ssh", "ssh")
	s := start(t)
	cmd := exec.CommandContext(t.Context(), "ssh", append(s.clientOptions(t), "127.0.0.1", "cat")...)
	cmd.Stdin = strings.NewReader("from here\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "from here\n" || stderr.Len() != 0 {
		t.Errorf("stdout %q, stderr %q, %v", out, stderr.String(), err)
	}
	failing := exec.CommandContext(t.Context(), "ssh", append(s.clientOptions(t), "127.0.0.1", "complain", "loudly")...)
	both, err := failing.CombinedOutput()
	if failing.ProcessState == nil || failing.ProcessState.ExitCode() != 3 || string(both) != "loudly\r\n" {
		t.Errorf("%q, %v", both, err)
	}
}

func TestOpenSSHsSFTPCopiesThereAndBack(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ssh", "sftp")
	s := start(t)
	here := t.TempDir()
	content := bytes.Repeat([]byte("line\n"), 100_000)
	if err := os.WriteFile(filepath.Join(here, "up"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sftp", append(s.clientOptions(t), "-b", "-", "127.0.0.1")...)
	cmd.Dir = here
	cmd.Stdin = strings.NewReader("mkdir /C:/k\nput up /C:/k/up\nrename /C:/k/up /C:/k/renamed\nget /C:/k/renamed down\nls -1 /C:/k\nrm /C:/k/renamed\nrmdir /C:/k\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\n/C:/k/renamed\n") {
		t.Errorf("%v: %s", err, out)
	}
	if down, err := os.ReadFile(filepath.Join(here, "down")); err != nil || !bytes.Equal(down, content) {
		t.Errorf("%d bytes came back, %v", len(down), err)
	}
	if left, err := os.ReadDir(s.folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
