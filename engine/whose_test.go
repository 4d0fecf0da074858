package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
)

const bFile = `
task "copy" "b" {
  dest    = "TMP/shared.conf"
  content = "OWNER\n"
}
`

func TestRefusalSaysWhoseTheObjectIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := filepath.Join(dir, "shared.conf")
	playbook := strings.ReplaceAll(bFile, "TMP", dir)
	first, second := ownerName(t), ownerName(t)
	theirs, ours := controlled(t, first, playbook), controlled(t, second, playbook)
	const advice = ": set backup = true to keep what is there and have cleanup put it back, or move it away"
	detail := func(o engine.Options) string {
		t.Helper()
		d := engine.Run(t.Context(), o).Diagnostics
		if len(d) != 1 {
			t.Fatalf("problems: %v", d)
		}
		return d[0].Detail
	}

	// It was there before kinit.
	if err := os.WriteFile(shared, []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := shared + " exists with other content and is not owned by cluster " + second + " (it has no mark of kinit)" + advice
	if got := detail(ours); got != want {
		t.Errorf("without a mark:\n%s\nwant:\n%s", got, want)
	}

	// A job has made it.
	if err := os.Remove(shared); err != nil {
		t.Fatal(err)
	}
	theirs.Job = engine.Job{Name: "nightly"}
	went(t, engine.Run(t.Context(), theirs))
	made := instanceOf(t, first)
	want = shared + " exists with other content and is not owned by cluster " + second + " but by " + first + " (" + made.By + " made it on " +
		made.Made.Format("2006-01-02 at 15:04:05") + " UTC from " + theirs.Spec + ` in the job "nightly")` + advice
	if got := detail(ours); got != want {
		t.Errorf("of a job:\n%s\nwant:\n%s", got, want)
	}
	if text, err := os.ReadFile(shared); err != nil || string(text) != first+"\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
}
