package content

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

func TestSumOfAnyName(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	const want = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	for _, name := range []string{"plain", "two words", `back\slash`, "line\nend", "-dash"} {
		if err := os.WriteFile(h.Path(name), []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Sum(t.Context(), h, "sha256", h.Path(name)); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", name, got, err, want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x\n", 40<<10)
	for _, c := range []struct{ name, before, after, want string }{
		{"one line", "a\nb\nc\n", "a\nB\nc\n", "--- /f\n+++ /f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"},
		{"from nothing", "", "a\n", "--- /f\n+++ /f\n@@ -0,0 +1,1 @@\n+a"},
		{"no line end", "a", "a\n", "--- /f\n+++ /f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a"},
		{"equal", "a\n", "a\n", ""},
		{"binary", "a\n", "a\x00\n", ""},
		{"no UTF-8", "a\n", "\xff\n", ""},
		{"long", long, "a\n", ""},
	} {
		if got := Diff("/f", []byte(c.before), []byte(c.after)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLargeSourceIsReadAgainWhenItIsSent(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/big"
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := FromFile(nil, path)
	if err != nil || s.Text != nil || s.Size != 100<<10 {
		t.Fatalf("source %+v, %v", s, err)
	}
	same := FromText([]byte(strings.Repeat("x", 100<<10)))
	if s.SHA256 != same.SHA256 {
		t.Errorf("sha256 %s, want %s", s.SHA256, same.SHA256)
	}
}
