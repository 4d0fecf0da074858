package main

import (
	"os"
	"os/exec"
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
