// Package textdiff compares two texts.
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

// Change is lines of a text in place of lines of another one.
type Change struct {
	Above   []string // the line before them, which both texts have; none at the top
	Removed []string
	Added   []string
}

// Changes returns what makes one text of another, from the top to the bottom. The lines have no ends.
func Changes(before, after []byte) (all []Change) {
	var above []string
	open := false
	for i, line := range strings.Split(Unified("", before, after), "\n") {
		if i < 2 { // the names
			continue
		}
		switch sign, line := line[0], line[1:]; sign {
		case '@': // the lines above it are not shown, or there are none
			above, open = nil, false
		case ' ':
			above, open = []string{line}, false
		case '\\': // the line before has no end
		default:
			if !open {
				all, open = append(all, Change{Above: above}), true
			}
			last := &all[len(all)-1]
			if sign == '+' {
				last.Added = append(last.Added, line)
			} else {
				last.Removed = append(last.Removed, line)
			}
		}
	}
	return all
}
