// Package need lets tests say what they need of the machine.
//
// Where something is missing, a test is skipped. The environment variable
// KINIT_REQUIRE, words with commas between, names what must be there: such a test
// fails instead. The word "all" is every one of them, which is what CI says.
package need

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Programs ends the test unless the programs are there. what is the word of
// KINIT_REQUIRE that they stand for.
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

// Missing ends the test: it is skipped, or fails where KINIT_REQUIRE has the word.
func Missing(t testing.TB, what, why string) {
	t.Helper()
	if Required(os.Getenv("KINIT_REQUIRE"), what) {
		t.Fatalf("%s is required: %s", what, why)
	}
	t.Skipf("%s is missing: %s", what, why)
}

// Required tells whether a list of words has the word, or says all.
func Required(words, what string) bool {
	all := strings.Split(words, ",")
	return slices.Contains(all, what) || slices.Contains(all, "all")
}
