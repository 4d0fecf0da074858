package corpus

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/modules"
)

// FuzzValidate goes with any text as a spec and as its playbook from the loader to the
// plan, with two hosts and without a connection. It returns, what it says can be
// shown, and what it says of a text has a place in it.
func FuzzValidate(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, inner := range a.Files {
			if strings.HasSuffix(inner.Name, "/spec.hcl") {
				f.Add(inner.Data)
			}
		}
	}
	dir := f.TempDir()
	write(f, filepath.Join(dir, "inventory.hcl"), []byte(hosts))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := engine.Options{
			Inputs: engine.Inputs{Spec: "x", Cwd: dir, Inventories: []string{"inventory.hcl"}},
			Home:   dir, Kinds: modules.All(), Builtin: fstest.MapFS{"x.hcl": {Data: text}, "web/a.hcl": {Data: text}},
		}
		report := engine.Validate(t.Context(), o)
		view.Diagnostics(report.Diagnostics, report.Sources, true, 80)
		for _, d := range report.Diagnostics {
			if d.Subject != nil && report.Sources[d.Subject.Filename] == nil {
				t.Errorf("its place is nowhere: %v", d)
			}
		}
		if report.Invalid != report.Diagnostics.HasErrors() {
			t.Errorf("invalid is %v, and the problems are %v", report.Invalid, report.Diagnostics)
		}
	})
}
