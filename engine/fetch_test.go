package engine_test

import (
	"testing"

	"kinit/engine"
)

// A job of kinit ci has another folder than the process.
func TestFetchedFileIsBelowTheFolderOfTheRun(t *testing.T) {
	t.Parallel()
	o := options(t, "task \"fetch\" \"here\" {\n  source = \"TMP/site.hcl\"\n  dest   = \"fetched/copy\"\n}\n"+
		"task \"fetch\" \"home\" {\n  source = \"TMP/site.hcl\"\n  dest   = \"~/at-home\"\n}\n")
	went(t, engine.Run(t.Context(), o))
	for _, name := range []string{"fetched/copy", "at-home"} {
		if got, want := content(t, o, name), content(t, o, "site.hcl"); got != want || want == "" {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}
