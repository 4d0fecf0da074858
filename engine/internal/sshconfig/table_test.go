package sshconfig

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheTableInTheDocsHasEveryKeyword compares the table in docs/inventory.md with the keywords.
func TestTheTableInTheDocsHasEveryKeyword(t *testing.T) {
	text, err := os.ReadFile("../../../docs/inventory.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## OpenSSH's configuration")
	section, _, _ = strings.Cut(section, "\n## ")
	found := map[string]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 {
			continue
		}
		effect, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(cells[1]), " |"), ":")
		effect, _, _ = strings.Cut(effect, ",")
		for _, name := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(cells[0], -1) {
			found[lower(name[1])] = effect
		}
	}
	for _, k := range slices.SortedFunc(maps.Values(keywords()), func(a, b keyword) int { return strings.Compare(a.name, b.name) }) {
		want := map[use]string{used: "used", ignored: "ignored", clientOnly: "used"}[k.use]
		if got := found[lower(k.name)]; !strings.HasPrefix(got, want) && !strings.HasPrefix(k.name, "Canonical") && k.name != "IgnoreUnknown" {
			t.Errorf("%s: the docs say %q, and it is %s", k.name, got, want)
		}
	}
	known := keywords()
	for name := range found {
		if _, ok := known[name]; !ok && name != "host" && name != "match" && name != "include" {
			t.Errorf("the docs have the unknown keyword %q", name)
		}
	}
}
