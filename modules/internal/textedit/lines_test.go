package textedit

import (
	"slices"
	"testing"
)

func TestInsert(t *testing.T) {
	t.Parallel()
	lines := []string{"one", "two", "one more"}
	for _, c := range []struct {
		place Arguments
		want  []string
	}{
		{Arguments{}, []string{"one", "two", "one more", "x", "y"}},
		{Arguments{InsertAfter: "^one"}, []string{"one", "two", "one more", "x", "y"}},
		{Arguments{InsertAfter: "^one$"}, []string{"one", "x", "y", "two", "one more"}},
		{Arguments{InsertAfter: "three"}, []string{"one", "two", "one more", "x", "y"}},
		{Arguments{InsertBefore: "^one"}, []string{"x", "y", "one", "two", "one more"}},
		{Arguments{InsertBefore: "^"}, []string{"x", "y", "one", "two", "one more"}},
		{Arguments{InsertBefore: "more"}, []string{"one", "two", "x", "y", "one more"}},
		{Arguments{InsertBefore: "three"}, []string{"one", "two", "one more", "x", "y"}},
	} {
		got, err := c.place.Insert(lines, "x", "y")
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %q, %v, want %q", c.place.InsertAfter, c.place.InsertBefore, got, err, c.want)
		}
	}
	if !slices.Equal(lines, []string{"one", "two", "one more"}) {
		t.Errorf("the lines were changed: %q", lines)
	}
}
