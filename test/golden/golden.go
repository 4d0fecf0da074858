// Package golden compares what a test makes with a file of the tree.
package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rewrite reports whether golden files are rewritten: KINIT_UPDATE is set, as by "make golden".
func Rewrite() bool { return os.Getenv("KINIT_UPDATE") != "" }

// Check compares a text with a golden file, after it has written the file if Rewrite says so.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if Rewrite() {
		Write(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: KINIT_UPDATE=1 rewrites it (-want +got):\n%s", file, diff)
	}
}

// Write writes a golden file.
func Write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
