// Package sudohost is a machine for tests whose users need their password for sudo: a root of the test's own with a real
// SSH server and the real sudo, whose settings are those of Ubuntu unless the test gives others.
package sudohost

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// User and Password log in, and may use sudo.
const (
	User     = "kinit-ubuntu"
	Password = "Correct;horse'battery $taple"
)

// Sudoers is what Ubuntu's sudoers file has.
const Sudoers = `Defaults env_reset
Defaults mail_badpass
Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
Defaults use_pty
root ALL=(ALL:ALL) ALL
%sudo ALL=(ALL:ALL) ALL
`

// Host is such a machine.
type Host struct {
	*sshd.Server
	enter []string
}

// Start starts a machine, which ends with the test. The lines are added to its sshd_config.
func Start(t testing.TB, lines ...string) *Host {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "sudo", "sudo", "unshare", "nsenter", "useradd", "chpasswd", "script")
	pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	h := &Host{enter: ownroot.Enter(pid)}
	h.Run(t, "useradd -m -s /bin/bash -G sudo "+User)
	h.SetPassword(t, User, Password)
	h.Sudoers(t, "")
	home := "/home/" + User // the folders of tests are closed to the user
	h.Server = sshd.Within(t, h.enter, append(lines, "AuthorizedKeysFile .ssh/authorized_keys", "SetEnv HOME="+home)...)
	h.Server.User = User
	h.Run(t, "mkdir -m 0700 "+home+"/.ssh; cp "+h.ClientKey+".pub "+home+"/.ssh/authorized_keys; chown -R "+User+" "+home+"/.ssh")
	return h
}

// Run runs a script on the machine as root.
func (h *Host) Run(t testing.TB, script string) string {
	t.Helper()
	return h.input(t, "", script)
}

func (h *Host) input(t testing.TB, input, script string) string {
	t.Helper()
	argv := append(append([]string{}, h.enter...), "sh", "-ec", script)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return string(out)
}

// SetPassword changes a user's password.
func (h *Host) SetPassword(t testing.TB, user, password string) {
	t.Helper()
	h.input(t, user+":"+password+"\n", "chpasswd")
}

// Sudoers replaces the sudoers file by Ubuntu's, and further lines.
func (h *Host) Sudoers(t testing.TB, lines string) {
	t.Helper()
	h.input(t, Sudoers+lines+"\n", "rm -rf /etc/sudoers.d /run/sudo; cat >/etc/sudoers; chmod 0440 /etc/sudoers; visudo -cq")
}
