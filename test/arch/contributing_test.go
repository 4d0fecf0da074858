package arch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hunk is what a diff says of one file: the lines that it leaves or adds, and those that it
// removes, with single spaces.
type hunk struct {
	file    string
	lines   []string
	removed []string
}

// TestDiffsOfContributingStandInTheTree keeps the diffs of CONTRIBUTING.md true. Each shows
// something that exists, so the file that it names has its lines, in their order. A diff may
// leave lines out, and lines of one diff may go with a later one.
func TestDiffsOfContributingStandInTheTree(t *testing.T) {
	t.Parallel()
	hunks := hunksOf(t)
	for i, h := range hunks {
		text, err := os.ReadFile(filepath.Join(root(t), h.file))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, later := range hunks[i+1:] {
			if later.file == h.file {
				h.lines = slices.DeleteFunc(h.lines, func(line string) bool { return slices.Contains(later.removed, line) })
			}
		}
		if line := missing(h.lines, string(text)); line != "" {
			t.Errorf("CONTRIBUTING.md shows a diff of %s, which has no line %q after those before it", h.file, line)
		}
	}
	if len(hunks) < 9 {
		t.Errorf("CONTRIBUTING.md has diffs of %d files, want at least 9", len(hunks))
	}
}

// hunksOf reads the diffs of CONTRIBUTING.md. A line of theirs that begins with a space and
// names a file begins the part of this file.
func hunksOf(t *testing.T) []hunk {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var hunks []hunk
	for _, part := range strings.Split(string(text), "```diff\n")[1:] {
		diff, _, _ := strings.Cut(part, "\n```")
		for line := range strings.Lines(diff) {
			sign, rest := line[0], folded(line[1:])
			switch {
			case sign == ' ' && strings.Contains(rest, "/") && !strings.Contains(rest, " "):
				hunks = append(hunks, hunk{file: rest})
			case len(hunks) == 0:
				t.Fatalf("a diff of CONTRIBUTING.md names no file before %q", line)
			case sign == '-':
				hunks[len(hunks)-1].removed = append(hunks[len(hunks)-1].removed, rest)
			case rest != "":
				hunks[len(hunks)-1].lines = append(hunks[len(hunks)-1].lines, rest)
			}
		}
	}
	return hunks
}

// missing returns the first line that a text does not have after the lines before it, or "".
func missing(lines []string, text string) string {
	for have := range strings.Lines(text) {
		if len(lines) > 0 && folded(have) == lines[0] {
			lines = lines[1:]
		}
	}
	return strings.Join(lines[:min(1, len(lines))], "")
}

// folded returns a line without the space that only aligns it.
func folded(line string) string { return strings.Join(strings.Fields(line), " ") }

// The check finds what it is for.
func TestLinesThatAFileLacksAreFound(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][]string{"": {"a", "c"}, "a": {"b", "a"}, "d": {"a", "d", "c"}} {
		if got := missing(lines, "a\n\tb\nc\n"); got != want {
			t.Errorf("missing(%q) = %q, want %q", lines, got, want)
		}
	}
}
