package ssh_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest"
	"kinit/engine/transport/transporttest/sudohost"
)

func becoming(h *sudohost.Host, user string, password secret.Value) ssh.Config {
	c := config(h.Server)
	c.User, c.Become, c.BecomePassword = sudohost.User, user, transport.NewPassword(password)
	return c
}

func TestSudoAsksForAPassword(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	for name, sudoers := range map[string]string{
		"the defaults of Ubuntu":  "",
		"no timestamp":            "Defaults timestamp_timeout=0",
		"requiretty":              "Defaults requiretty",
		"requiretty, no use_pty":  "Defaults requiretty, !use_pty, timestamp_timeout=0",
		"a lecture":               "Defaults lecture=always, lecture_file=/etc/passwd",
		"one try":                 "Defaults passwd_tries=1, timestamp_timeout=0",
		"an own prompt":           "Defaults passprompt=\"Bitte das Passwort von %u: \", passprompt_override",
		"no password":             sudohost.User + " ALL=(ALL:ALL) NOPASSWD: ALL",
		"requiretty, no password": "Defaults requiretty\n" + sudohost.User + " ALL=(ALL:ALL) NOPASSWD: ALL",
	} {
		t.Run(name, func(t *testing.T) {
			h.Sudoers(t, sudoers)
			for _, user := range []string{"root", "nobody"} {
				worksAs(t, dial(t, becoming(h, user, sudohost.Password)), user)
			}
		})
	}
	t.Run("requiretty without any password", func(t *testing.T) {
		h.Sudoers(t, "Defaults requiretty\n"+sudohost.User+" ALL=(ALL:ALL) NOPASSWD: ALL")
		conn := dial(t, becoming(h, "root", ""))
		says(t, conn, "id -un", "root\n")
		if _, err := conn.Files(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("requiretty, files before commands", func(t *testing.T) {
		h.Sudoers(t, "Defaults requiretty")
		files, err := dial(t, becoming(h, "root", sudohost.Password)).Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Write(t.Context(), "/root/file", strings.NewReader("text"), module.Attr{}); err != nil {
			t.Error(err)
		}
	})
	lacks := map[string]string{}
	for _, name := range []string{"dial/unix", "dial/socket"} {
		lacks[name] = "the user who logs in may not use the sockets of the test, which are root's"
	}
	t.Run("the suite", func(t *testing.T) {
		h.Sudoers(t, "Defaults timestamp_timeout=0")
		transporttest.SampleWithout(t, 1, lacks, func(t *testing.T) transport.Conn { return dial(t, becoming(h, "root", sudohost.Password)) })
	})
	t.Run("the suite with requiretty", func(t *testing.T) {
		h.Sudoers(t, "Defaults requiretty, timestamp_timeout=0")
		transporttest.SampleWithout(t, 2, lacks, func(t *testing.T) transport.Conn { return dial(t, becoming(h, "root", sudohost.Password)) })
	})
}

// attempts is how many wrong passwords the machine has counted.
func attempts(t *testing.T, h *sudohost.Host) int {
	return strings.Count(h.Run(t, "cat /tmp/sudo-attempts-"+h.Addr+" 2>/dev/null || true"), "x")
}

// A wrong password is given once, however many sessions want it, so that it locks no account.
func TestWrongPasswordIsGivenOnce(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	h.Run(t, "printf '#!/bin/sh\\necho x >>/tmp/sudo-attempts-"+h.Addr+"\\n' >/usr/local/bin/count; chmod 755 /usr/local/bin/count; "+
		"printf 'auth [success=2 default=ignore] pam_unix.so\\nauth optional pam_exec.so /usr/local/bin/count\\nauth requisite pam_deny.so\\nauth required pam_permit.so\\naccount required pam_permit.so\\nsession required pam_permit.so\\n' >/etc/pam.d/sudo")
	t.Cleanup(func() { _ = os.Remove("/tmp/sudo-attempts-" + h.Addr) })
	c := becoming(h, "root", "Wrong-horse-battery")
	var wait sync.WaitGroup
	conns := []*ssh.Conn{dial(t, c), dial(t, c)}
	for i := range 6 {
		wait.Go(func() {
			var err error
			if conn := conns[i%2]; i < 4 {
				_, err = conn.Exec(t.Context(), transport.Process{Line: "true"})
			} else {
				_, err = conn.Files(t.Context())
			}
			if !errors.Is(err, transport.ErrBecome) || !errors.Is(err, transport.ErrPassword) || errors.Is(err, transport.ErrAuth) ||
				!strings.HasPrefix(err.Error(), "sudo on node1 refused the password of kinit-ubuntu. kinit gives it once, so that no account is locked: give the right one by --ask-become-pass") || strings.Contains(err.Error(), "Wrong-horse") {
				t.Errorf("error is %v", err)
			}
		})
	}
	wait.Wait()
	if n := attempts(t, h); n != 1 {
		t.Errorf("the password was tried %d times, want 1", n)
	}
}

func TestPasswordThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	_, err := dial(t, becoming(h, "root", "")).Exec(t.Context(), transport.Process{Line: "true"})
	if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "become root with sudo on node1: sudo: a password is required. If it needs a password, give that by --ask-become-pass") {
		t.Errorf("error is %v", err)
	}
}

func TestUserWhoMayNotUseSudoIsExplained(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	h.Run(t, "gpasswd -d "+sudohost.User+" sudo")
	_, err := dial(t, becoming(h, "root", sudohost.Password)).Exec(t.Context(), transport.Process{Line: "true"})
	if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "is not in the sudoers file") {
		t.Errorf("error is %v", err)
	}
}

func TestSuAsksForThePasswordOfTheOtherUser(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	h.Run(t, "useradd -m -s /bin/bash kinit-other")
	h.SetPassword(t, "kinit-other", "another password")
	c := becoming(h, "kinit-other", "another password")
	c.BecomeMethod = "su"
	conn := dial(t, c)
	says(t, conn, "id -un", "kinit-other\n")
	if _, err := conn.Files(t.Context()); err != nil {
		t.Error(err)
	}
	c.BecomePassword = transport.NewPassword("wrong password")
	_, err := dial(t, c).Exec(t.Context(), transport.Process{Line: "true"})
	if !errors.Is(err, transport.ErrPassword) || !strings.Contains(err.Error(), "su on node1 refused the password of kinit-other") {
		t.Errorf("error is %v", err)
	}
}

// doas asks on the terminal alone, and once.
func TestDoasAsksForThePasswordOfTheLogin(t *testing.T) {
	t.Parallel()
	need.Programs(t, "doas", "doas")
	h := sudohost.Start(t)
	h.Run(t, "printf 'auth required pam_unix.so\naccount required pam_permit.so\nsession required pam_permit.so\n' >/etc/pam.d/doas")
	rules := func(t *testing.T, text string) {
		h.Run(t, "cat >/etc/doas.conf <<'END'\n"+text+"\nEND\nchmod 0400 /etc/doas.conf; doas -C /etc/doas.conf")
	}
	with := func(user string, password secret.Value) ssh.Config {
		c := becoming(h, user, password)
		c.BecomeMethod = "doas"
		return c
	}
	for name, text := range map[string]string{
		"a password":                     "permit :sudo",
		"a password that is kept":        "permit persist :sudo",
		"no password":                    "permit nopass :sudo",
		"the environment of the login":   "permit keepenv :sudo",
		"an environment of the settings": "permit setenv { KEY=value } " + sudohost.User,
	} {
		t.Run(name, func(t *testing.T) {
			rules(t, text)
			for _, user := range []string{"root", "nobody"} {
				worksAs(t, dial(t, with(user, sudohost.Password)), user)
			}
		})
	}
	t.Run("without a password where none is needed", func(t *testing.T) {
		rules(t, "permit nopass :sudo")
		says(t, dial(t, with("root", "")), "id -un", "root\n")
	})
	for name, c := range map[string]struct {
		rules    string
		password secret.Value
		want     string
		refused  bool
	}{
		"a wrong password":         {"permit :sudo", "Wrong-horse-battery", "doas on node1 refused the password of kinit-ubuntu", true},
		"no password":              {"permit :sudo", "", "become root with doas on node1: doas: Authentication required. If it needs a password, give that by --ask-become-pass, or by become_password in the inventory", false},
		"a user who may not do it": {"permit root", sudohost.Password, "become root with doas on node1: doas: Operation not permitted", false},
	} {
		t.Run(name, func(t *testing.T) {
			rules(t, c.rules)
			_, err := dial(t, with("root", c.password)).Exec(t.Context(), transport.Process{Line: "true"})
			if !errors.Is(err, transport.ErrBecome) || errors.Is(err, transport.ErrPassword) != c.refused || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "Wrong-horse") {
				t.Errorf("error is %v", err)
			}
			if _, err := dial(t, with("root", c.password)).Files(t.Context()); !errors.Is(err, transport.ErrBecome) {
				t.Errorf("error for files is %v", err)
			}
		})
	}
	t.Run("the suite", func(t *testing.T) {
		rules(t, "permit :sudo")
		lacks := map[string]string{}
		for _, name := range []string{"dial/unix", "dial/socket"} {
			lacks[name] = "the user who logs in may not use the sockets of the test, which are root's"
		}
		transporttest.SampleWithout(t, 0, lacks, func(t *testing.T) transport.Conn { return dial(t, with("root", sudohost.Password)) })
	})
}

// Nothing shows the password to other users of the machine: not the arguments and not the environment of a process.
func TestPasswordIsInNoProcessList(t *testing.T) {
	t.Parallel()
	h := sudohost.Start(t)
	h.Sudoers(t, "Defaults timestamp_timeout=0, requiretty")
	seen, stop, done := map[string]bool{}, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				for _, name := range []string{file, filepath.Dir(file) + "/environ"} {
					text, _ := os.ReadFile(name)
					if strings.Contains(string(text), sudohost.Password) {
						seen[strings.ReplaceAll(string(text), "\x00", " ")] = true
					}
				}
			}
		}
	}()
	for range 3 {
		conn := dial(t, becoming(h, "root", sudohost.Password))
		says(t, conn, "sleep 0.2; id -un", "root\n")
		if _, err := conn.Files(t.Context()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
	for text := range seen {
		t.Errorf("a process shows the password: %s", text)
	}
}

// worksAs runs commands as a user, and reads a file.
func worksAs(t *testing.T, conn *ssh.Conn, user string) {
	t.Helper()
	says(t, conn, "id -un", user+"\n")
	says(t, conn, "cat; echo err >&2", "")
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Stat(t.Context(), "/etc/passwd"); err != nil {
		t.Error(err)
	}
}
