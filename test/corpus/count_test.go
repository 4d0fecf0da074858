package corpus

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// before is how many broken inputs there were before a hundred more were asked for; since then the
// language has grown, and each of its errors came with an input.
const before = 381

// placeless are the archives some of whose inputs are options of the command line, or files that are no
// playbook, so that no line is to blame.
func placeless(archive string) bool {
	switch archive {
	case "habits", "imports", "selection", "tags", "variables":
		return true
	}
	return false
}

var (
	problem = regexp.MustCompile(`(?m)^(Error|Warning): `)
	place   = regexp.MustCompile(`(?m)^  on [^ ]+ line \d+`)
)

// TestBrokenInputsAreManyAndEachErrorHasItsPlaceAndItsReason counts the inputs, and looks at each of
// their errors: a place in a file, and a sentence below it.
func TestBrokenInputsAreManyAndEachErrorHasItsPlaceAndItsReason(t *testing.T) {
	t.Parallel()
	inputs := 0
	for _, file := range archives(t) {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txtar")
		for _, c := range cases(a) {
			inputs++
			starts := problem.FindAllStringIndex(c.golden, -1)
			if len(starts) == 0 {
				t.Errorf("%s: %s has no error", archive, c.name)
			}
			for i, start := range starts {
				end := len(c.golden)
				if i+1 < len(starts) {
					end = starts[i+1][0]
				}
				one := c.golden[start[0]:end]
				if !place.MatchString(one) && !placeless(archive) {
					t.Errorf("%s: %s: an error has no place:\n%s", archive, c.name, one)
				}
				if !reasoned(one) {
					t.Errorf("%s: %s: an error has no sentence:\n%s", archive, c.name, one)
				}
			}
		}
	}
	if inputs < before+100 {
		t.Errorf("there are %d broken inputs, want at least %d", inputs, before+100)
	}
}

// reasoned reports whether a paragraph of an error, after its headline, begins in the first column.
func reasoned(one string) bool {
	for paragraph := range strings.SplitSeq(one, "\n\n") {
		if first := strings.TrimPrefix(paragraph, "\n"); first != "" && !strings.HasPrefix(first, " ") && !problem.MatchString(first) {
			return true
		}
	}
	return false
}
