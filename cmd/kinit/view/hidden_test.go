package view

import (
	"strings"
	"testing"

	"kinit/engine/secret"
)

// TestSecretWithInvisibleCharactersIsMasked puts each thing that is removed from lines before they are
// printed into a secret, at each place.
func TestSecretWithInvisibleCharactersIsMasked(t *testing.T) {
	t.Parallel()
	const password = "hunter22"
	var r secret.Redactor
	r.Add(password)
	hidden := []string{"\x1b[0m", "\x1b[1;31m", "\x1b[K", "\x1b[?25l", "\x00\x00", "\x7f", "\u0085"}
	for c := rune(1); c < ' '; c++ {
		hidden = append(hidden, string(c))
	}
	for _, marks := range [][2]rune{{0x202A, 0x202E}, {0x2066, 0x2069}} {
		for c := marks[0]; c <= marks[1]; c++ {
			hidden = append(hidden, string(c))
		}
	}
	for _, h := range hidden {
		for i := range len(password) + 1 {
			sent := "it is " + password[:i] + h + password[i:] + "."
			if shown := clean(r.Redact(sent)); strings.Contains(shown, password) {
				t.Errorf("%q is printed as %q", sent, shown)
			}
		}
	}
}
