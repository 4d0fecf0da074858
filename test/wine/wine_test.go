package wine

import (
	"os"
	"testing"

	"kinit/engine/transport"
)

// all reports whether all cases run, and not a sample that takes a minute.
func all() bool { return os.Getenv("KINIT_ALL") != "" }

// TestWindowsUnderWine has one machine for everything: to make one takes twenty seconds.
func TestWindowsUnderWine(t *testing.T) {
	t.Parallel()
	m := start(t)
	s := m.serve(t)
	winrm, ssh := s.overWinRM(t), s.overSSH(t)
	t.Run("scripts over WinRM", func(t *testing.T) { testScripts(t, winrm) })
	t.Run("scripts over SSH", func(t *testing.T) { testScripts(t, ssh) })
	if all() {
		t.Run("locks", func(t *testing.T) { testLocks(t, m, winrm) })
		t.Run("files", func(t *testing.T) { testFiles(t, winrm) })
		t.Run("contents", func(t *testing.T) { testContents(t, m, winrm) })
		t.Run("ports", func(t *testing.T) { testPorts(t, winrm) })
	}
	t.Run("hosts files", func(t *testing.T) { testHosts(t, m, winrm) })
	t.Run("modules", func(t *testing.T) {
		works := works()
		if !all() {
			works = works[3:4]
		}
		testModules(t, s, works)
	})
	if all() {
		t.Run("modules on stubs", func(t *testing.T) { testModules(t, s, stubbed()) })
		t.Run("first login", func(t *testing.T) { testFirstLogin(t, m) })
		t.Run("faults", func(t *testing.T) { testFaults(t, m, s) })
	}
	t.Run("nothing outside the prefix", func(t *testing.T) { testReach(t, m, winrm) })
}

// opened closes a connection at the end of the test.
func opened(t *testing.T, conn transport.Conn, err error) transport.Conn {
	t.Helper()
	must(t, err)
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}
