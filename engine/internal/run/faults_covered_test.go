package run_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/modules"
)

// listed reads the modules of the table in docs/faults.md, which says why they are not
// tried.
func listed(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.TrimSpace(cells[2]) == "" {
			continue
		}
		for _, found := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(cells[1], -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// TestEveryLinuxModuleIsTriedOrListedWithAReason compares the modules that work on Linux
// with those that are tried while the connection fails, and those that are not.
func TestEveryLinuxModuleIsTriedOrListedWithAReason(t *testing.T) {
	t.Parallel()
	var tried, linux []string
	for _, w := range works() {
		tried = append(tried, w.module)
	}
	left := listed(t)
	for _, k := range modules.All() {
		if k.On(module.Linux) != nil {
			continue
		}
		linux = append(linux, k.Name)
		is, isLeft := slices.Contains(tried, k.Name), slices.Contains(left, k.Name)
		switch {
		case !is && !isLeft:
			t.Errorf("%s is neither tried nor in the table of docs/faults.md", k.Name)
		case is && isLeft:
			t.Errorf("%s is tried, and in the table of docs/faults.md", k.Name)
		}
	}
	for _, name := range append(tried, left...) {
		if !slices.Contains(linux, name) {
			t.Errorf("there is no module %s for Linux", name)
		}
	}
}
