package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFactsThatAreTextsAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	got := factLines(map[string]map[string]json.RawMessage{"a": {
		"cores": json.RawMessage(`4`), "names": json.RawMessage(`["a"]`), "none": json.RawMessage(`""`),
		"title": json.RawMessage(`"R\u0026D says \"hi\""`), "two": json.RawMessage(`"one\ntwo\u001b[2J"`),
	}})
	want := []string{"a", "  cores  4", `  names  ["a"]`, "  none", `  title  R&D says "hi"`, "  two    one two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
