package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestHelpDoesNoWork measures what kinit itself does for its help; the best of
// several times, because the machine may be busy. The start of the process is
// the linker's and the benchmark's.
func TestHelpDoesNoWork(t *testing.T) {
	const limit = 5 * time.Millisecond
	best := time.Hour
	for range 20 {
		started := time.Now()
		w := thisProcess()
		p := newProgram(t, "--help")
		p.kinds = w.kinds
		if code := p.run(); code != exitOK {
			t.Fatalf("got exit code %d", code)
		}
		best = min(best, time.Since(started))
	}
	if best > limit {
		t.Errorf("kinit --help took %v, want at most %v", best, limit)
	}
}

// BenchmarkHelp starts the program. It should take less than 30 ms.
func BenchmarkHelp(b *testing.B) {
	for b.Loop() {
		// Under this name the test binary is the program, see TestMain.
		cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"kinit", "--help"}}
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
