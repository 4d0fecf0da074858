package spec

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheReferenceHasEveryBlockAndArgument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range blockTypes() {
		if !strings.Contains(string(text), "| [`"+name+"`](#") {
			t.Errorf("the table of blocks lacks %s", name)
		}
	}
	for _, name := range slices.Concat(taskMeta(), metaBlocks) {
		if !strings.Contains(string(text), "\n| `"+name+"` ") {
			t.Errorf("the table of a task's arguments lacks %s", name)
		}
	}
	for _, name := range append(shared(), "stage", "serial", "max_fail") {
		if !strings.Contains(string(text[strings.Index(string(text), "### `block`"):]), "`"+name+"`") {
			t.Errorf("the section on blocks lacks %s", name)
		}
	}
}
