package engine_test

import (
	"fmt"
	"os/exec"
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

// TestArchivesUnpackedIntoOneFolderAtTheSameTimeAreComplete: instances of a loop share a folder.
func TestArchivesUnpackedIntoOneFolderAtTheSameTimeAreComplete(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "unarchive" "app" {
  host     = "localhost"
  for_each = ["one", "two", "three"]
  source   = "TMP/${each.key}.tar"
  dest     = "TMP/apps"
}
`)
	names := []string{"one", "three", "two"}
	for _, name := range names {
		if out, err := exec.Command("sh", "-c", `cd "$1" && mkdir "$2" && echo "$2" >"$2/bin-$2" && tar cf "$2.tar" "$2"`, "sh", o.Cwd, name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	equal(t, "problems", problems(engine.Run(t.Context(), o)), "")
	for _, name := range names {
		equal(t, "content of "+name, content(t, o, "apps/"+name+"/bin-"+name), name+"\n")
	}
	equal(t, "changes of a second run", engine.Run(t.Context(), o).Changes(), 0)
}
