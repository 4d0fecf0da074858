package textdiff

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnifiedShowsLinesWithTheirContext(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ before, after, want string }{
		"the same":       {"a\nb\n", "a\nb\n", ""},
		"a changed line": {"a\nb\nc\n", "a\nB\nc\n", "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"},
		"a new file":     {"", "a\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a"},
		"no line end":    {"a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Unified("f", []byte(tc.before), []byte(tc.after)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestChangesHaveTheLineAboveThem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, after string
		want          []Change
	}{
		"the same":           {"a\n", "a\n", nil},
		"at the top":         {"a\n", "0\na\n", []Change{{Added: []string{"0"}}}},
		"below an empty one": {"a\n\nb\n", "a\n\n", []Change{{Above: []string{""}, Removed: []string{"b"}}}},
		"far apart": {"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n\n", []Change{
			{Above: []string{"a"}, Removed: []string{"b"}, Added: []string{"B"}}, {Above: []string{"j"}, Added: []string{""}}}},
		"no line end": {"a\nb", "a\nb\nc\n", []Change{{Above: []string{"a"}, Removed: []string{"b"}, Added: []string{"b", "c"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Changes([]byte(tc.before), []byte(tc.after))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
