package graph

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// build makes a graph of lines such as "a b c": a depends on b and c.
func build(lines ...string) *Graph[string] {
	g := &Graph[string]{}
	for _, line := range lines {
		words := strings.Fields(line)
		g.Add(words[0])
	}
	for _, line := range lines {
		words := strings.Fields(line)
		for _, need := range words[1:] {
			g.Connect(words[0], need)
		}
	}
	return g
}

func TestOrderPutsDependenciesFirstAndKeepsInsertionOrderOtherwise(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"nothing":                       {nil, []string{}},
		"no edges":                      {[]string{"b", "a", "c"}, []string{"b", "a", "c"}},
		"a chain":                       {[]string{"a b", "b c", "c"}, []string{"c", "b", "a"}},
		"a diamond":                     {[]string{"top l r", "l bottom", "r bottom", "bottom"}, []string{"bottom", "l", "r", "top"}},
		"a freed key goes by its place": {[]string{"z", "a y", "y", "x"}, []string{"z", "y", "a", "x"}},
		"a cycle is left out":           {[]string{"a b", "b a", "c", "d a"}, []string{"c"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, build(test.lines...).Order()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClosureHoldsTheKeysAndWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	g := build("a b", "b c d", "c", "d", "e a", "f")
	got := slices.Sorted(maps.Keys(g.Closure("b", "unknown", "f")))
	if diff := cmp.Diff([]string{"b", "c", "d", "f"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestConnectAddsKeysOnceAndKeepsTheOrderOfEdges(t *testing.T) {
	t.Parallel()
	g := &Graph[string]{}
	g.Connect("a", "c")
	g.Connect("a", "b")
	g.Connect("a", "c")
	if diff := cmp.Diff([]string{"a", "c", "b"}, g.Keys()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c", "b"}, g.Needs("a")); diff != "" {
		t.Error(diff)
	}
	if g.Needs("unknown") != nil {
		t.Error("an unknown key needs something")
	}
	if !slices.Contains(g.Keys(), "b") || slices.Contains(g.Keys(), "unknown") {
		t.Error("Has does not tell what the graph has")
	}
}

func TestValidateNamesCyclesFromTheSmallestKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines []string
		want  string
	}{
		"none":                      {[]string{"a b", "b c", "c", "d a c"}, ""},
		"itself":                    {[]string{"b", "a a"}, "cycle: a → a"},
		"two":                       {[]string{"b a", "a b"}, "cycle: a → b → a"},
		"starts at the smallest":    {[]string{"c a", "b c", "a b"}, "cycle: a → b → c → a"},
		"two cycles by name":        {[]string{"z y", "y z", "b a", "a b"}, "cycle: a → b → a; y → z → y"},
		"a figure eight is one":     {[]string{"a b", "b a c", "c b"}, "cycle: a → b → a"},
		"what hangs on it is clean": {[]string{"user b", "b c", "c b leaf", "leaf"}, "cycle: b → c → b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := build(test.lines...).Validate()
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestValidateGivesTheCycleAsKeys(t *testing.T) {
	t.Parallel()
	var cycle *CycleError[string]
	if err := build("b a", "a b").Validate(); !errors.As(err, &cycle) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([][]string{{"a", "b"}}, cycle.Cycles); diff != "" {
		t.Error(diff)
	}
}
