package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"kinit/test/executable"
)

// TestAStampStandsForTheLastBuild matters to who goes from one version of kinit to
// another and back: what the other one built must not be taken for one's own.
func TestAStampStandsForTheLastBuild(t *testing.T) {
	t.Parallel()
	scripts, out := t.TempDir(), t.TempDir()
	script, err := os.ReadFile("../../specs/lab/files/stamped.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"stamped.sh": string(script), "build-guest.sh": "touch \"$1/guest\"", "build-guest-root.sh": "touch \"$1/root\"",
		"build-broken.sh": "exit 3",
	} {
		executable.Write(t, filepath.Join(scripts, name), text)
	}
	build := func(name, inputs string) error {
		return exec.CommandContext(t.Context(), "sh", filepath.Join(scripts, "stamped.sh"), out, name, inputs).Run()
	}
	for _, c := range []struct {
		name, inputs string
		fails        bool
		want         []string
	}{
		{"guest", "1", false, []string{".made-guest-1", "guest"}},
		{"guest-root", "1", false, []string{".made-guest-1", ".made-guest-root-1", "guest", "root"}},
		{"guest", "2", false, []string{".made-guest-2", ".made-guest-root-1", "guest", "root"}},
		{"guest", "1", false, []string{".made-guest-1", ".made-guest-root-1", "guest", "root"}},
		{"broken", "1", true, []string{".made-guest-1", ".made-guest-root-1", "guest", "root"}},
	} {
		if err := build(c.name, c.inputs); (err != nil) != c.fails {
			t.Fatalf("build %s of %s: %v", c.name, c.inputs, err)
		}
		if got := list(t, out); !slices.Equal(got, c.want) {
			t.Errorf("after %s of %s there is %q, want %q", c.name, c.inputs, got, c.want)
		}
	}
}

// list is the names in a folder.
func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
