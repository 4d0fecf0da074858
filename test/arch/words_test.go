package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostReadmeWords is the limit of README.md: everything else is for docs.
const mostReadmeWords = 900

func TestReadmeStaysShort(t *testing.T) {
	t.Parallel()
	if n := len(strings.Fields(page(t, "README.md"))); n > mostReadmeWords {
		t.Errorf("README.md has %d words, and may have %d: move details to docs", n, mostReadmeWords)
	}
}

func TestOddWordsAreReportedWithFileAndLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"anew":                     {"a.md", "fine\nIt is made anew.\n", `a.md:2:It is made anew.`},
		"anew in a name":           {"a_test.go", "func TestItIsMadeAnew() {}\n", `a_test.go:1:func TestItIsMadeAnew() {}`},
		"of others":                {"a.hcl", "# files of others stay\n", `a.hcl:1:# files of others stay`},
		"whoever":                  {"a.sh", "# Whoever asks\n", `a.sh:1:# Whoever asks`},
		"nobody too often":         {"a.md", strings.Repeat("nobody\n", 20), `a.md:20:nobody`},
		"nobody now and then":      {"a.md", strings.Repeat("nobody\n", 19), ""},
		"the account nobody":       {"a.sh", strings.Repeat("chown nobody x\n", 30), ""},
		"quoted output in a file":  {"testdata/a.txt", "made anew\n", ""},
		"a line of the change log": {"CHANGELOG.md", "made anew\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			file := filepath.Join(folder, c.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}} {
				if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			out, err := exec.CommandContext(t.Context(), "../words", folder).Output()
			if failed := err != nil; failed != (c.want != "") || !strings.Contains(string(out), c.want) {
				t.Errorf("error %v, and\n%s\nwant %q", err, out, c.want)
			}
		})
	}
}
