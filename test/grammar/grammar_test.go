package grammar

import (
	"slices"
	"strings"
	"testing"
)

func TestBrokenScriptsAreFound(t *testing.T) {
	t.Parallel()
	found := Parse(t,
		Script{Name: "whole", Text: "if ($x) { 1 } else { 2 }\n"},
		Script{Name: "no parenthesis", Text: "1\nif ($x { 1 }\n"},
		Script{Name: "no brace", Text: "foreach ($x in 1..3) { $x\n"},
		Script{Name: "no quote", Text: "$x = 'abc\n"},
		Script{Name: "an operator without a value", Text: "$x = 1 -eq\n"},
		Script{Name: "no end of a table", Text: "$x = @{ a = 1\n"},
	)
	var names []string
	for _, p := range found {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	want := []string{"no parenthesis", "no brace", "no quote", "an operator without a value", "no end of a table"}
	if !slices.Equal(names, want) {
		t.Errorf("problems in %q, wanted %q", names, want)
	}
}

func TestTheLockNamesNoHost(t *testing.T) {
	t.Parallel()
	lock, err := files.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), "://") {
		t.Error("package-lock.json has an address in it: the registry is the user's choice")
	}
	if n := strings.Count(string(lock), `"integrity": "sha512-`); n != 4 {
		t.Errorf("%d checksums, wanted 4", n)
	}
}
