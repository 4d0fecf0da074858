package content

import (
	"slices"
	"testing"
)

func TestSplitAndJoin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		lines []string
		again string
	}{
		{"", nil, ""},
		{"\n", []string{""}, "\n"},
		{"a\nb\n", []string{"a", "b"}, "a\nb\n"},
		{"a\n\nb", []string{"a", "", "b"}, "a\n\nb\n"},
		{"a\r\n", []string{"a\r"}, "a\r\n"},
	} {
		lines := Split(c.text)
		if !slices.Equal(lines, c.lines) || Join(lines) != c.again {
			t.Errorf("%q: %q, %q, want %q, %q", c.text, lines, Join(lines), c.lines, c.again)
		}
	}
}
