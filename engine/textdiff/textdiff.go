// Package textdiff makes unified diffs of two texts.
package textdiff

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified is a unified diff of two versions of the file at a path, without a line
// end at its end; empty when they are the same.
func Unified(path string, before, after []byte) string {
	all := string(diff.Diff(path, before, path, after))
	// The first line repeats the two names of the next ones.
	_, rest, _ := strings.Cut(all, "\n")
	return strings.TrimRight(rest, "\n")
}
