package main

import (
	"context"
	"testing"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// plainConn is a connection without terminals. Its commands end with 7.
type plainConn struct {
	transport.Conn
	lines []string
}

func (c *plainConn) Exec(_ context.Context, p transport.Process) (int, error) {
	c.lines = append(c.lines, p.Line)
	return 7, nil
}

func TestCommandsRunOnWindowsWithoutATerminal(t *testing.T) {
	t.Parallel()
	conn := &plainConn{}
	code, err := interact(t.Context(), conn, module.Windows, nil, []string{"Get-Service", "-Name", "kubelet", "| Format-List"})
	if err != nil || code != 7 {
		t.Errorf("got %d, %v", code, err)
	}
	if len(conn.lines) != 1 || conn.lines[0] != "Get-Service -Name kubelet | Format-List" {
		t.Errorf("PowerShell was given %q", conn.lines)
	}
}

func TestShellNeedsATerminalAndACommandDoesNot(t *testing.T) {
	t.Parallel()
	conn := &plainConn{}
	const want = "this kind of connection has no terminal: give a command after --, or use kinit console"
	if _, err := interact(t.Context(), conn, module.Windows, nil, nil); err == nil || err.Error() != want {
		t.Errorf("a shell on Windows: got %v", err)
	}
	if _, err := interact(t.Context(), conn, module.Linux, nil, nil); err == nil || err.Error() != want {
		t.Errorf("a shell on Linux: got %v", err)
	}
	if len(conn.lines) > 0 {
		t.Errorf("something ran: %q", conn.lines)
	}
	// This machine itself is such a connection.
	code, err := interact(t.Context(), conn, module.Linux, nil, []string{"echo", "a b"})
	if err != nil || code != 7 || len(conn.lines) != 1 || conn.lines[0] != "echo 'a b'" {
		t.Errorf("a command on Linux: got %d, %v, and the shell was given %q", code, err, conn.lines)
	}
}

func TestAPlacesWordsStandBeforeThoseOfTheCommand(t *testing.T) {
	t.Parallel()
	conn := &plainConn{}
	if _, err := interact(t.Context(), conn, module.Windows, []string{"place"}, []string{"kubectl", "get"}); err != nil {
		t.Error(err)
	}
	if len(conn.lines) != 1 || conn.lines[0] != "place kubectl get" {
		t.Errorf("the host was given %q", conn.lines)
	}
}

func TestWordsAreQuotedForPOSIXAlone(t *testing.T) {
	t.Parallel()
	for system, want := range map[module.OS]string{module.Linux: "echo 'a b'", module.Windows: "echo a b"} {
		if got := commandLine(system, []string{"echo", "a b"}); got != want {
			t.Errorf("%s: got %q, want %q", system, got, want)
		}
	}
}
