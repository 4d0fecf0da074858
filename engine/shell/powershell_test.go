package shell_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kinit/engine/shell"
)

func TestPowerShell(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"nothing", "", "''"},
		{"a word", "word", "'word'"},
		{"a blank and a tab", "a b\tc", "'a b\tc'"},
		{"lines", "a\r\nb", "'a\r\nb'"},
		{"a single quote", "it's", "'it''s'"},
		{"only a single quote", "'", "''''"},
		{"typographic quotes end a string too", "\u2018a\u2019\u201ab\u201b", "'\u2018\u2018a\u2019\u2019\u201a\u201ab\u201b\u201b'"},
		{"double quotes do not", "\"\u201ca\u201d\u201e", "'\"\u201ca\u201d\u201e'"},
		{"an expansion", "$env:X $(id) ${a} `n", "'$env:X $(id) ${a} `n'"},
		{"a comment", "# a <# b #>", "'# a <# b #>'"},
		{"a path", `C:\Program Files\x`, `'C:\Program Files\x'`},
		{"letters of other languages", "é日本語😀", "'é日本語😀'"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := shell.PowerShell(c.text); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, ""},
		{"safe words stay as they are", []string{"/c", "a=b", `C:\x`, "-f", "%PATH%", "^&|<>()", "it's"}, `/c a=b C:\x -f %PATH% ^&|<>() it's`},
		{"an empty word", []string{"", "a"}, `"" a`},
		{"a blank", []string{"a b"}, `"a b"`},
		{"a tab, a line end, a vertical tab", []string{"a\tb", "c\nd", "e\vf"}, "\"a\tb\" \"c\nd\" \"e\vf\""},
		{"a quote", []string{`say "x"`}, `"say \"x\""`},
		{"a backslash before a quote", []string{`\"`}, `"\\\""`},
		{"two backslashes before a quote", []string{`a\\"b`}, `"a\\\\\"b"`},
		{"a backslash elsewhere", []string{`a b\c`}, `"a b\c"`},
		{"a backslash at the end", []string{`C:\Program Files\`}, `"C:\Program Files\\"`},
		{"a backslash at the end without a blank", []string{`C:\x\`}, `C:\x\`},
		{"letters of other languages", []string{"é日本語"}, "é日本語"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := shell.Windows(c.args...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// unquote reads a string in single quotes as PowerShell's tokenizer does, and
// returns what stands behind it.
func unquote(t *testing.T, literal string) (text, rest string) {
	t.Helper()
	quotes := []rune{'\'', '\u2018', '\u2019', '\u201a', '\u201b'}
	runes := []rune(literal)
	if len(runes) == 0 || !slices.Contains(quotes, runes[0]) {
		t.Fatalf("%q is no string", literal)
	}
	var b strings.Builder
	for i := 1; i < len(runes); i++ {
		if !slices.Contains(quotes, runes[i]) {
			b.WriteRune(runes[i])
			continue
		}
		if i+1 == len(runes) || !slices.Contains(quotes, runes[i+1]) {
			return b.String(), string(runes[i+1:])
		}
		i++
		b.WriteRune(runes[i])
	}
	t.Fatalf("%q does not end", literal)
	return "", ""
}

func FuzzPowerShell(f *testing.F) {
	for _, seed := range []string{"", "'", "''", "a'b", "\u2018", "\u2019\u2019\u201a", "'\u201b'", "$x", "`'", "a\nb", "\"", "é", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		got, rest := unquote(t, shell.PowerShell(text)+" -and $true")
		if got != text || rest != " -and $true" {
			t.Errorf("%q became %q, then %q", text, got, rest)
		}
	})
}

// split takes a command line apart behind the program's name, as Microsoft
// describes CommandLineToArgvW: blanks separate; quotes begin and end a part in
// which they do not; 2n backslashes before a quote are n, 2n+1 are n and a quote;
// within quotes two quotes are one.
func splitWindows(line string) []string {
	var args []string
	for i := 0; ; {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) {
			return args
		}
		var word strings.Builder
		quoted := false
		for i < len(line) && (quoted || line[i] != ' ' && line[i] != '\t') {
			backslashes := 0
			for i < len(line) && line[i] == '\\' {
				backslashes++
				i++
			}
			if i == len(line) || line[i] != '"' {
				word.WriteString(strings.Repeat(`\`, backslashes))
				if i < len(line) && backslashes == 0 {
					word.WriteByte(line[i])
					i++
				}
				continue
			}
			word.WriteString(strings.Repeat(`\`, backslashes/2))
			i++
			switch {
			case backslashes%2 == 1:
				word.WriteByte('"')
			case quoted && i < len(line) && line[i] == '"':
				word.WriteByte('"')
				i++
			default:
				quoted = !quoted
			}
		}
		args = append(args, word.String())
	}
}

func FuzzWindows(f *testing.F) {
	for _, seed := range []string{"", " ", "a b", `"`, `\`, `\"`, `a\\`, `a b\`, `""`, `\\"\\`, "\t", "\n", "é"} {
		f.Add(seed, "x")
		f.Add("x y", seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		want := []string{a, b, a + b, "end"}
		if got := splitWindows(shell.Windows(want...)); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
