package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCleanMakesLinesSafeToPrint(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"plain text stays":                      {"hällo 世界", "hällo 世界"},
		"a tab becomes spaces":                  {"a\tb", "a    b"},
		"a colour goes":                         {"\x1b[1;31mred\x1b[0m!", "red!"},
		"a cursor movement goes":                {"\x1b[2Jgone\x1b[H", "gone"},
		"an unfinished sequence goes":           {"x\x1b[12", "x"},
		"a lone escape goes":                    {"\x1b]0;title\a", "]0;title"},
		"of an overwritten line the last stays": {"10%\r20%\r", "20%"},
		"an eight bit control goes":             {"a\u009b31mb", "a31mb"},
		"a change of direction goes":            {"a\u202eb", "ab"},
		"broken utf-8 is marked":                {"a\xffb", "a?b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := clean(tc.in); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCutKeepsWithinColumns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{
		{"hello", 0, "hello"},
		{"hello", 5, "hello"},
		{"hello!", 5, "he..."},
		{"hello", 3, "hel"},
		{"世界世界", 8, "世界世界"},
		{"世界世界", 7, "世界..."},
		{"世界世界", 6, "世..."},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"},
	} {
		if got := cut(tc.in, tc.n); got != tc.want {
			t.Errorf("cut(%q, %d) is %q, want %q", tc.in, tc.n, got, tc.want)
		}
	}
}

func TestWrapBreaksAtSpacesAndKeepsIndentation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		n    int
		want []string
	}{
		"without a limit lines stay":         {"one two\n  three\n", 0, []string{"one two", "  three"}},
		"words go to the next line":          {"one two three", 8, []string{"one two", "three"}},
		"indentation is repeated":            {"  one two three", 9, []string{"  one two", "  three"}},
		"a long word is broken":              {"abcdefgh ij", 5, []string{"abcde", "fgh", "ij"}},
		"an empty line stays":                {"a\n\nb", 5, []string{"a", "", "b"}},
		"a wide rune in one column is given": {"世", 1, []string{"."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, wrap(tc.in, tc.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                            "0.0s",
		49 * time.Millisecond:                   "0.0s",
		12300 * time.Millisecond:                "12.3s",
		59990 * time.Millisecond:                "1m00s",
		62 * time.Second:                        "1m02s",
		59*time.Minute + 59600*time.Millisecond: "1h00m",
		125 * time.Minute:                       "2h05m",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("Seconds(%v) is %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 20: "1.0 MiB", 1023 << 10: "1.0 MiB", 3 << 40: "3.0 TiB",
	} {
		if got := size(n); got != want {
			t.Errorf("size(%d) is %q, want %q", n, got, want)
		}
	}
}
