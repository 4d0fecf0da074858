package shell_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"kinit/engine/shell"
)

func TestPOSIX(t *testing.T) {
	cases := []struct {
		name string
		argv []string
		want string
	}{
		{"nothing", nil, ""},
		{"safe words stay as they are", []string{"ls", "-l", "/etc/a_b.c", "user@host:22", "50%", "1,2", "a+b"}, "ls -l /etc/a_b.c user@host:22 50% 1,2 a+b"},
		{"an empty word", []string{""}, "''"},
		{"a blank", []string{"a b"}, "'a b'"},
		{"a tab and a line end", []string{"a\tb\nc"}, "'a\tb\nc'"},
		{"a single quote", []string{"it's"}, `'it'\''s'`},
		{"only a single quote", []string{"'"}, `''\'''`},
		{"a double quote", []string{`say "x"`}, `'say "x"'`},
		{"a backslash", []string{`a\b`}, `'a\b'`},
		{"an expansion", []string{"$HOME", "$(id)", "`id`"}, "'$HOME' '$(id)' '`id`'"},
		{"a pattern", []string{"*", "?", "[a]"}, "'*' '?' '[a]'"},
		{"a home folder", []string{"~", "~root"}, "'~' '~root'"},
		{"an assignment is no assignment", []string{"A=b", "cmd"}, "'A=b' cmd"},
		{"operators", []string{"a;b", "a&b", "a|b", "a<b", "a>b", "(a)", "{a}", "!", "#"}, "'a;b' 'a&b' 'a|b' 'a<b' 'a>b' '(a)' '{a}' '!' '#'"},
		{"letters of other languages", []string{"é"}, "'é'"},
		{"bytes that are no text", []string{"\xff"}, "'\xff'"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := shell.POSIX(c.argv...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// shells are those of this machine that may be /bin/sh on another one.
func shells() [][]string {
	var found [][]string
	for _, name := range [][]string{{"sh"}, {"dash"}, {"bash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(name[0]); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// split lets a shell split a line and returns the words, with a zero byte after
// each.
func split(t *testing.T, shell []string, line string) string {
	t.Helper()
	cmd := exec.Command(shell[0], append(shell[1:], "-c", `printf '%s\0' `+line)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(shell, " "), err, stderr.String())
	}
	return string(out)
}

func FuzzPOSIX(f *testing.F) {
	for _, seed := range []string{"", " ", "a b", "'", `\`, "\n", "$x", "`id`", "*", "~", "é", "\xff\x81\x88", "-n", "%s", "a\x00b", "'\\''", "\"'\\$`!"} {
		f.Add(seed, "x")
		f.Add("x", seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ReplaceAll(a, "\x00", ""), strings.ReplaceAll(b, "\x00", "") // no argument has one
		want := strings.Join([]string{a, b, a + b, ""}, "\x00")
		for _, name := range shells() {
			if got := split(t, name, shell.POSIX(a, b, a+b)); got != want {
				t.Errorf("%s: got %q, want %q", strings.Join(name, " "), got, want)
			}
		}
	})
}

// Every byte, and every pair of a byte and one that quoting cares about.
func TestPOSIXThroughRealShells(t *testing.T) {
	var words []string
	for c := 1; c < 256; c++ {
		for _, other := range []string{"", "'", `\`, "\n", "x"} {
			words = append(words, string([]byte{byte(c)})+other, other+string([]byte{byte(c)}))
		}
	}
	for _, name := range shells() {
		t.Run(strings.Join(name, " "), func(t *testing.T) {
			got := strings.Split(split(t, name, shell.POSIX(words...)), "\x00")
			if want := append(slices.Clone(words), ""); !slices.Equal(got, want) {
				t.Errorf("%d words, want %d", len(got), len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("word %d is %q, want %q", i, got[i], want[i])
					}
				}
			}
		})
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	if got, want := shell.Exports(map[string]string{"B": "it's\nb", "A": "x"}), "export A=x\nexport B='it'\\''s\nb'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := shell.Exports(nil); got != "" {
		t.Errorf("got %q of no environment", got)
	}
}
