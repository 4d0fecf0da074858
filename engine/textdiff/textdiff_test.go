package textdiff

import "testing"

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
