package ovn

import (
	"maps"
	"slices"
	"testing"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		books  map[string]string
		have   string
		owner  string
		want   map[string]string
		change bool
		err    string
	}{
		"a new value without a prior":          {owner: "c1", want: map[string]string{"kinit-users-k": "c1"}, change: true},
		"a new value keeps the prior":          {have: "old", owner: "c1", want: map[string]string{"kinit-users-k": "c1", "kinit-prior-k": "old"}, change: true},
		"a right value is not claimed":         {have: "new", owner: "c1"},
		"without an owner there are no books":  {have: "old", change: true},
		"an own value that drifted":            {books: map[string]string{"kinit-users-k": "c1", "kinit-prior-k": "old"}, have: "x", owner: "c1", want: map[string]string{"kinit-users-k": "c1"}, change: true},
		"an own value that is right":           {books: map[string]string{"kinit-users-k": "c1"}, have: "new", owner: "c1"},
		"a right foreign value is joined":      {books: map[string]string{"kinit-users-k": "c2"}, have: "new", owner: "c1", want: map[string]string{"kinit-users-k": "c1,c2"}},
		"a right value that is shared already": {books: map[string]string{"kinit-users-k": "c1,c2"}, have: "new", owner: "c1"},
		"a foreign value is not changed":       {books: map[string]string{"kinit-users-k": "c2,c3"}, have: "x", owner: "c1", err: `k is "x" for cluster c2, c3 and cannot be "new" as well; give both clusters the same value`},
		"a shared value is not changed by one": {books: map[string]string{"kinit-users-k": "c1,c2"}, have: "x", owner: "c1", err: `k is "x" for cluster c2 and cannot be "new" as well; give both clusters the same value`},
		"without an owner there is no joining": {books: map[string]string{"kinit-users-k": "c2"}, have: "new"},
	} {
		got, change, err := Settle(c.books, Setting{Name: "k", Have: c.have, Want: "new"}, c.owner)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !maps.Equal(got, c.want) || change != c.change || text != c.err {
			t.Errorf("%s: %v, %v, %q; want %v, %v, %q", name, got, change, text, c.want, c.change, c.err)
		}
	}
}

func TestReleasesRestoreWithTheLastUser(t *testing.T) {
	t.Parallel()
	books := map[string]string{
		"kinit-users-a": "c1", "kinit-prior-a": "before", "kinit-users-b": "c1", "kinit-users-c": "c1,c2", "kinit-users-d": "c2", "other": "c1",
	}
	got := Releases(books, "c1")
	if len(got) != 3 {
		t.Fatalf("releases %+v, want a, b and c", got)
	}
	if a := got[0]; a.Name != "a" || !a.Restore || a.Prior != "before" || !slices.Equal(a.Unset, []string{"kinit-users-a", "kinit-prior-a"}) {
		t.Errorf("a: %+v", a)
	}
	if b := got[1]; b.Name != "b" || !b.Restore || b.Prior != "" {
		t.Errorf("b: %+v", b)
	}
	if c := got[2]; c.Name != "c" || c.Restore || !maps.Equal(c.Set, map[string]string{"kinit-users-c": "c2"}) {
		t.Errorf("c: %+v", c)
	}
	if got := Releases(books, ""); len(got) > 0 {
		t.Errorf("releases without an owner: %+v", got)
	}
}
