package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

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

// TestPackagesDoLittleBeforeTheyAreUsed keeps the start short: what a package makes
// before main is made for every command, help and completion included. Allocations are
// counted because time depends on the machine.
func TestPackagesDoLittleBeforeTheyAreUsed(t *testing.T) {
	t.Parallel()
	var trace bytes.Buffer
	cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"kinit", "--help"}, Env: append(os.Environ(), "GODEBUG=inittrace=1"), Stderr: &trace}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^init (kinit/\S+) .* (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1)
	if len(lines) == 0 {
		t.Fatalf("there is no trace in\n%s", trace.String())
	}
	const most = 1000
	for _, line := range lines {
		if n, err := strconv.Atoi(line[2]); err != nil || n > most {
			t.Errorf("%s allocates %s times before it is used, want at most %d", line[1], line[2], most)
		}
	}
}
