// Package need lets tests declare what they need of the machine.
//
// If something is missing, a test is skipped. The environment variable KINIT_REQUIRE, words
// separated by commas, lists requirements: if one is missing, its tests fail instead. The
// word "all", which CI uses, lists all of them.
package need

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Programs ends the test unless the programs exist. what is their word in KINIT_REQUIRE.
func Programs(t testing.TB, what string, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			Missing(t, what, program+" is not installed")
		}
	}
}

// Root ends the test unless it runs as root.
func Root(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, what, "this is not root")
	}
}

// Port returns a TCP port of 127.0.0.1 that nothing listens on.
func Port(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// Address returns 127.0.0.1 with such a port.
func Address(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Port(t))
}

// Missing ends the test: it is skipped, or fails if KINIT_REQUIRE has the word.
func Missing(t testing.TB, what, why string) {
	t.Helper()
	if Required(os.Getenv("KINIT_REQUIRE"), what) {
		t.Fatalf("%s is required: %s", what, why)
	}
	t.Skipf("%s is missing: %s", what, why)
}

// Required reports whether a list of words has the word or "all".
func Required(words, what string) bool {
	all := strings.Split(words, ",")
	return slices.Contains(all, what) || slices.Contains(all, "all")
}
