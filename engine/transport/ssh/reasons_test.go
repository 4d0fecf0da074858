package ssh_test

import (
	"bytes"
	"strings"
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

func TestServersThatLimitALoginAreNamedWithTheRemedy(t *testing.T) {
	t.Parallel()
	t.Run("a second factor", func(t *testing.T) {
		t.Parallel()
		_, err := ssh.Dial(t.Context(), config(sshd.Start(t, "AuthenticationMethods publickey,publickey")))
		want := " and then asks for a second factor: give a password by --ask-pass, run kinit on a terminal for a one-time code, or let this user log in by key alone, by AuthenticationMethods publickey"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	})
	t.Run("another program", func(t *testing.T) {
		t.Parallel()
		conn := dial(t, config(sshd.Start(t, "ForceCommand internal-sftp")))
		_, err := conn.Exec(t.Context(), transport.Process{Line: "true", Stdout: &bytes.Buffer{}})
		for _, want := range []string{"start a shell: ", "ForceCommand"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q in it", err, want)
			}
		}
	})
	t.Run("one session", func(t *testing.T) {
		t.Parallel()
		conn := dial(t, config(sshd.Start(t, "MaxSessions 0")))
		_, err := conn.Exec(t.Context(), transport.Process{Line: "true", Stdout: &bytes.Buffer{}})
		if want := "allow 2 or more with MaxSessions in its sshd_config"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	})
}
