package spec

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// FuzzLoad holds Load to this: whatever a file says, it returns, and an error
// about a file's content has a place in a file that is among the sources.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", `spec "a" { playbook = "web" }`, `task "file" "motd" { path = "/etc/motd" }`, "locals { a = local.b }",
		`import { source = "web" }`, `stage "a" { after = ["a"] }`, `variable "x" { type = list(string) }`, `spec "a" { vars = { (x) = 1 } }`,
		`check "a" { assert { condition = true } }`, "task \"a\" \"b\" {\n retry {}\n}", `cluster "a" { pool "b" {} }`, `import { source = null }`,
	} {
		f.Add([]byte(seed))
	}
	files, _ := filepath.Glob("../plan/testdata/*.txtar")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		src := Sources{Cwd: "/nonexistent", Builtin: fstest.MapFS{
			"x.hcl":        {Data: text},
			"web/a.hcl":    {Data: text},
			"a-b.tmpl.hcl": {Data: text},
		}}
		for _, name := range []string{"x", "a-b-1-1-1"} {
			s, diags := Load(src, name)
			for _, d := range diags {
				if d.Summary == "Invalid template" {
					continue
				}
				if d.Subject == nil || s.Sources[d.Subject.Filename] == nil {
					t.Errorf("no place: %v", d)
				}
			}
		}
	})
}
