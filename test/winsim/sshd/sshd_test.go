package sshd_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/process/processtest"
)

func TestUsersLogInByPasswordOrKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	stranger, _ := signer(t)
	for name, c := range map[string]struct {
		user string
		auth ssh.AuthMethod
		ok   bool
	}{
		"password":                {processtest.User, ssh.Password(processtest.Password), true},
		"password, other case":    {"ADMINISTRATOR", ssh.Password(processtest.Password), true},
		"password of the machine": {`WINSIM\Administrator`, ssh.Password(processtest.Password), true},
		"wrong password":          {processtest.User, ssh.Password("x"), false},
		"key":                     {processtest.User, ssh.PublicKeys(s.client), true},
		"a stranger's key":        {processtest.User, ssh.PublicKeys(stranger), false},
		"a stranger":              {"Eve", ssh.PublicKeys(s.client), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.dial(t, c.user, c.auth)
			if c.ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "unable to authenticate") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestALineIsRunByTheDefaultShell(t *testing.T) {
	t.Parallel()
	s := start(t)
	client := s.mustDial(t)
	for _, c := range []struct {
		line, stdin, stdout, stderr string
		code                        int
	}{
		{line: `echo "Größe" $x 'y'`, stdout: "\"Größe\" $x 'y'\r\n"},
		{line: "cat", stdin: "a\x00b\n", stdout: "a\x00b\n"},
		{line: "complain of it", stderr: "of it\r\n", code: 3},
		{line: "exit 3221225786", code: 3221225786},
		{line: "zeros 300000", stdout: strings.Repeat("0", 300000)},
	} {
		session := newSession(t, client)
		var stdout, stderr bytes.Buffer
		session.Stdin, session.Stdout, session.Stderr = strings.NewReader(c.stdin), &stdout, &stderr
		err := session.Run(c.line)
		code := 0
		if exit := new(ssh.ExitError); errors.As(err, &exit) {
			code, err = exit.ExitStatus(), nil
		}
		if err != nil || code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: code %d, %v, stdout %.100q, stderr %q", c.line, code, err, stdout.String(), stderr.String())
		}
	}
	if got, want := s.Started(), []string{`echo "Größe" $x 'y'`, "cat", "complain of it", "exit 3221225786", "zeros 300000"}; !slices.Equal(got, want) {
		t.Errorf("started %q, want %q", got, want)
	}
}

func TestEnvironmentAndASecondLineAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := newSession(t, s.mustDial(t))
	if err := session.Setenv("LANG", "de"); err == nil {
		t.Error("the environment was taken")
	}
	ok, err := session.SendRequest("exec", true, ssh.Marshal(struct{ Line string }{"cat"}))
	if !ok || err != nil {
		t.Fatalf("exec: %v, %v", ok, err)
	}
	ok, err = session.SendRequest("exec", true, ssh.Marshal(struct{ Line string }{"echo"}))
	if ok || err != nil {
		t.Errorf("exec again: %v, %v", ok, err)
	}
}

func TestClosingASessionEndsItsProcess(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, end := range map[string]func(*ssh.Session){
		"closed":         func(session *ssh.Session) { _ = session.Close() },
		"connection cut": func(*ssh.Session) { s.Cut() },
	} {
		session := newSession(t, s.mustDial(t))
		hang(t, session)
		end(session)
		select {
		case line := <-s.ended:
			if line != "hang" {
				t.Errorf("%s: %q ended", name, line)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the process goes on", name)
		}
	}
}

// hang starts a command that hangs and waits until it does.
func hang(t *testing.T, session *ssh.Session) {
	t.Helper()
	stdout, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start("hang"); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, len("hanging\r\n"))
	if _, err := io.ReadFull(stdout, text); err != nil || string(text) != "hanging\r\n" {
		t.Fatalf("%q, %v", text, err)
	}
}

func TestARebootCutsEverything(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := newSession(t, s.mustDial(t))
	hang(t, session)
	s.Shutdown()
	if line := <-s.ended; line != "hang" {
		t.Errorf("%q ended", line)
	}
	if err := session.Wait(); err == nil {
		t.Error("the session has an exit code")
	}
	if _, err := s.dial(t, processtest.User, ssh.Password(processtest.Password)); err == nil {
		t.Error("logged in while the machine is down")
	}
	s.Boot()
	s.mustDial(t)
}

func TestATunnelConnectsFromTheMachine(t *testing.T) {
	t.Parallel()
	s := start(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.Copy(conn, conn) // what it brings back is looked at
	}()
	client := s.mustDial(t)
	conn, err := client.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "there and back"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "there and back" {
		t.Errorf("%q, %v", got, err)
	}
	listener.Close()
	if _, err := client.Dial("tcp", listener.Addr().String()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("to a closed port: %v", err)
	}
}
