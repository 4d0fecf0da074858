package wincmdline

import "testing"

// The expected lines are those of "Parsing C++ command-line arguments" in Microsoft's
// documentation, read backwards.
func TestJoinQuotesAsTheRuntimeReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"a.exe", "--flag", "x=y"}, `a.exe --flag x=y`},
		{[]string{`C:\Program Files\a.exe`, "d"}, `"C:\Program Files\a.exe" d`},
		{[]string{"a.exe", ""}, `a.exe ""`},
		{[]string{"a.exe", `a"b`}, `a.exe "a\"b"`},
		{[]string{"a.exe", `a\\b`}, `a.exe a\\b`},
		{[]string{"a.exe", `a\\\b d"e f"g`, "h"}, `a.exe "a\\\b d\"e f\"g" h`},
		{[]string{"a.exe", `a\"b`, "c", "d"}, `a.exe "a\\\"b" c d`},
		{[]string{"a.exe", `C:\with blank\`}, `a.exe "C:\with blank\\"`},
		{[]string{"a.exe", "tab\there"}, "a.exe \"tab\there\""},
	} {
		if got := Join(c.words...); got != c.want {
			t.Errorf("%q: %s, want %s", c.words, got, c.want)
		}
	}
}

func TestPropertyQuotesTheValueOnly(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Server": "ADDLOCAL=Server", `C:\a b`: `ADDLOCAL="C:\a b"`, `a"b`: `ADDLOCAL="a""b"`, "": `ADDLOCAL=""`,
	} {
		if got := Property("ADDLOCAL", value); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
