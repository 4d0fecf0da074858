package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
)

// TestTasksThatEditOneFileLoseNoChange: instances of loops add a line, each in a text that all
// others have read as well.
func TestTasksThatEditOneFileLoseNoChange(t *testing.T) {
	t.Parallel()
	const each = 8
	o := options(t, `
task "line_in_file" "first" {
  host     = "localhost"
  for_each = [for n in range(8) : "first ${n}"]
  path     = "TMP/lines"
  create   = true
  line     = each.key
}
task "block_in_file" "second" {
  host     = "localhost"
  for_each = [for n in range(8) : "second ${n}"]
  path     = "TMP/lines"
  create   = true
  marker   = "# {mark} ${each.key}"
  block    = each.key
}
`)
	o.Forks = 2 * each
	r := engine.Run(t.Context(), o)
	equal(t, "problems", problems(r), "")
	var want []string
	for n := range each {
		want = append(want, fmt.Sprintf("first %d", n), fmt.Sprintf("second %d", n))
	}
	slices.Sort(want)
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(content(t, o, "lines")), "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "first ") && !strings.HasPrefix(line, "second ")
	})
	slices.Sort(lines)
	equal(t, "lines", lines, want)
	equal(t, "changes of a second run", engine.Run(t.Context(), o).Changes(), 0)
}
