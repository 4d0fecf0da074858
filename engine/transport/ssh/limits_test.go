package ssh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest"
	"kinit/engine/transport/transporttest/sshd"
)

// A server with two sessions leaves one for commands and one for files.
func TestFewSessions(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t, "MaxSessions 2")
	t.Run("the suite", func(t *testing.T) {
		transporttest.Sample(t, 2, func(t *testing.T) transport.Conn { return dial(t, config(server)) })
	})
	t.Run("a command that takes all input is killed", func(t *testing.T) {
		conn, watch := dial(t, config(server)), dial(t, config(server))
		small(t, conn)
		ctx, cancel := context.WithCancel(t.Context())
		started := &begun{seen: make(chan struct{})}
		go func() {
			<-started.seen
			cancel()
		}()
		mark := "31" + strconv.Itoa(server.Port) // in the process list, like no other
		_, err := conn.Exec(ctx, transport.Process{Line: "echo begun; exec sleep " + mark, Stdin: endless{}, Stdout: started})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		says(t, watch, "pgrep -x -f 'sleep "+mark+"' || echo gone", "gone\n")
	})
	t.Run("files first", func(t *testing.T) {
		conn := dial(t, config(server))
		small(t, conn)
		crowd(t, conn)
	})
	t.Run("commands first", func(t *testing.T) {
		conn := dial(t, config(server))
		crowd(t, conn)
		small(t, conn)
		crowd(t, conn)
	})
	t.Run("streams", func(t *testing.T) {
		conn := dial(t, config(server))
		small(t, conn)
		for range 5 {
			var out bytes.Buffer
			code, err := conn.Exec(t.Context(), transport.Process{Line: "cat", Stdin: io.LimitReader(endless{}, 5), Stdout: &out})
			if code != 0 || err != nil || out.String() != "line\n" {
				t.Errorf("code %d, output %q, error %v", code, out.String(), err)
			}
		}
	})
	t.Run("one session", func(t *testing.T) {
		conn := dial(t, config(sshd.Start(t, "MaxSessions 1")))
		crowd(t, conn)
		if _, err := conn.Files(t.Context()); err == nil || !strings.Contains(err.Error(), "MaxSessions") {
			t.Errorf("error is %v", err)
		}
		crowd(t, conn)
	})
}

// small writes a small file.
func small(t *testing.T, conn transport.Conn) {
	t.Helper()
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Write(t.Context(), t.TempDir()+"/file", strings.NewReader("text"), module.Attr{}); err != nil {
		t.Error(err)
	}
}

// crowd runs many commands at once.
func crowd(t *testing.T, conn transport.Conn) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() { says(t, conn, fmt.Sprintf("echo %d", i), fmt.Sprintf("%d\n", i)) })
	}
	all.Wait()
}

func TestNoFileServer(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"fails":      "Subsystem sftp /bin/false",
		"crashes":    "Subsystem sftp /nonexistent",
		"is missing": "Subsystem other internal-sftp",
	} {
		conn := dial(t, config(sshd.Start(t, line)))
		if _, err := conn.Files(t.Context()); err == nil || !strings.Contains(strings.ToLower(err.Error()), "sftp") {
			t.Errorf("%s: error is %v", name, err)
		}
		says(t, conn, "echo fine", "fine\n")
	}
}

// What the login's start-up files print is no part of any output.
func TestNoisyStartUpFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(home+"/.bashrc", []byte("echo noise; echo noise >&2; sleep 0.2"), 0o600); err != nil {
		t.Fatal(err)
	}
	conn := dial(t, config(sshd.Start(t, "SetEnv HOME="+home)))
	var out, errs bytes.Buffer
	code, err := conn.Exec(t.Context(), transport.Process{Line: "echo out; echo err >&2", Stdout: &out, Stderr: &errs})
	if code != 0 || err != nil || out.String() != "out\n" || errs.String() != "err\n" {
		t.Errorf("code %d, output %q, errors %q, error %v", code, out.String(), errs.String(), err)
	}
	small(t, conn)
}

func TestNoSetsid(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t, "SetEnv PATH=/nonexistent")))
	_, err := conn.Exec(t.Context(), transport.Process{Line: "true"})
	if err == nil || !strings.Contains(err.Error(), "setsid (util-linux or busybox) is missing") {
		t.Errorf("error is %v", err)
	}
}

// A shell that cannot tell its number runs nothing, since nothing could end it.
func TestNoProc(t *testing.T) {
	t.Parallel()
	need.Root(t, "mount namespaces")
	hide := []string{"unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc; exec \"$@\"", "sh"}
	conn := dial(t, config(sshd.Within(t, hide)))
	made := filepath.Join(t.TempDir(), "made")
	_, err := conn.Exec(t.Context(), transport.Process{Line: "touch " + made})
	if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "the command was not started: the machine's shell cannot read /proc/self/stat") {
		t.Errorf("error is %v", err)
	}
	if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the command ran: %v", err)
	}
}

func TestTheEnvironmentHasNamesOfOneLetter(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t)))
	var out bytes.Buffer
	p := transport.Process{Line: "echo $p $r", Env: map[string]string{"p": "one", "r": "two"}, Stdout: &out}
	if _, err := conn.Exec(t.Context(), p); err != nil || out.String() != "one two\n" {
		t.Errorf("output %q, error %v", out.String(), err)
	}
}

func TestNoForwarding(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t, "DisableForwarding yes")))
	if _, err := conn.Dial(t.Context(), "tcp", "127.0.0.1:22"); err == nil || errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error is %v", err)
	}
	says(t, conn, "echo fine", "fine\n")
}

func TestJumpHost(t *testing.T) {
	t.Parallel()
	gate, inner := sshd.Start(t), sshd.Start(t)
	jump := dial(t, config(gate))
	transporttest.Sample(t, 0, func(t *testing.T) transport.Conn {
		c := config(inner)
		c.Dial = jump.Dial
		return dial(t, c)
	})
	t.Run("the jump host is lost in between", func(t *testing.T) {
		c := config(inner)
		c.Dial = jump.Dial
		conn := dial(t, c)
		says(t, conn, "echo fine", "fine\n")
		gate.Cut()
		awaitLost(t, conn)
		says(t, conn, "echo fine", "fine\n")
	})
	t.Run("the machine behind it does not answer", func(t *testing.T) {
		c := config(inner)
		c.Dial, c.Port = jump.Dial, 1
		refused(t, c, transport.ErrUnreachable, "node1 (127.0.0.1:1)", "from node1 ("+gate.Addr+")")
	})
}

func TestBecome(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sudo"); err != nil || os.Geteuid() != 0 {
		need.Missing(t, "sudo", "it must be installed, and root must run the test")
	}
	server := sshd.Start(t)
	t.Run("another user", func(t *testing.T) {
		c := config(server)
		c.Become = "nobody"
		conn := dial(t, c)
		says(t, conn, "id -un", "nobody\n")
		files, err := conn.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("/tmp", "kinit-become-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := files.Write(t.Context(), dir+"/file", strings.NewReader("text"), module.Attr{}); err != nil {
			t.Fatal(err)
		}
		info, err := files.Stat(t.Context(), dir+"/file")
		if err != nil || info.Owner != "nobody" {
			t.Errorf("owner %q, error %v", info.Owner, err)
		}
	})
	t.Run("another user with su", func(t *testing.T) {
		c := config(server)
		c.Become, c.BecomeMethod = "nobody", "su"
		conn := dial(t, c)
		says(t, conn, "id -un", "nobody\n")
		files, err := conn.Files(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.List(t.Context(), "/root"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the user nobody lists /root: %v", err)
		}
	})
	t.Run("the suite with su", func(t *testing.T) {
		transporttest.Sample(t, 1, func(t *testing.T) transport.Conn {
			c := config(server)
			c.Become, c.BecomeMethod = "root", "su"
			return dial(t, c)
		})
	})
	t.Run("a program that is not there or not set up", func(t *testing.T) {
		if _, err := os.Stat("/etc/doas.conf"); err == nil {
			t.Skip("this machine has a doas that is set up")
		}
		c := config(server)
		c.Become, c.BecomeMethod = "nobody", "doas"
		_, err := dial(t, c).Exec(t.Context(), transport.Process{Line: "true"})
		if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "become nobody with doas on node1: ") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a socket that cannot be dialled", func(t *testing.T) {
		c := config(server)
		c.Become = "nobody"
		_, err := dial(t, c).Dial(t.Context(), "unix", "/nonexistent")
		if want := " as " + server.User + ", since the SSH server dials, not nobody"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the suite", func(t *testing.T) {
		transporttest.Sample(t, 2, func(t *testing.T) transport.Conn {
			c := config(server)
			c.Become = "root"
			return dial(t, c)
		})
	})
	t.Run("no user of that name", func(t *testing.T) {
		c := config(server)
		c.Become = "no-such-user"
		conn := dial(t, c)
		_, err := conn.Exec(t.Context(), transport.Process{Line: "true"})
		if !errors.Is(err, transport.ErrBecome) || !strings.Contains(err.Error(), "no-such-user") {
			t.Errorf("error is %v", err)
		}
		if _, err := conn.Files(t.Context()); err == nil || !strings.Contains(err.Error(), "no-such-user") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	conn := dial(t, config(sshd.Start(t)))
	_, err := conn.Exec(t.Context(), transport.Process{Line: "echo " + strings.Repeat("x", 128<<10)})
	if err == nil || !strings.Contains(err.Error(), "131071") {
		t.Errorf("error is %v", err)
	}
	_, err = conn.Exec(t.Context(), transport.Process{Line: "echo \x00"})
	if err == nil {
		t.Error("a zero byte is no error")
	}
	says(t, conn, "echo "+strings.Repeat("x", 127<<10), strings.Repeat("x", 127<<10)+"\n")
}
