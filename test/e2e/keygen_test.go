//go:build life || sequences

package e2e

import (
	"os"
	"strings"
	"testing"
)

// keygen makes a pair of keys, and returns the public one.
func keygen(t *testing.T, k *kinit, file string) string {
	t.Helper()
	k.must(t, "secret", "keygen", "--out", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "public key: ")
	public, _, _ := strings.Cut(after, "\n")
	return public
}
