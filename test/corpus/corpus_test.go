// Package corpus checks the errors that users see for broken specs and playbooks: an error
// has its place, says what was expected and what may have been meant, and one mistake is
// reported once.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/inventories"
	"kinit/modules"
	"kinit/specs"
	"kinit/test/golden"
)

// hosts is the inventory of cases that have none of their own.
const hosts = "host \"a\" { address = \"192.0.2.1\" }\nhost \"b\" { address = \"192.0.2.2\" }\n"

// TestBrokenSpecsTellWhatIsWrongAndWhere validates each case of the archives in
// testdata. A case is a folder with spec.hcl and what that needs; args has an option
// of "kinit validate" or "kinit plan" a line. What is said of it is in NAME.golden.
// With KINIT_UPDATE set that file is rewritten.
func TestBrokenSpecsTellWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, file := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rewritten []txtar.File
			for _, c := range cases(a) {
				got := c.complaints(t)
				if diff := cmp.Diff(c.golden, got); diff != "" && !golden.Rewrite() {
					t.Errorf("%s (-want +got):\n%s", c.name, diff)
				}
				rewritten = append(append(rewritten, c.files...), txtar.File{Name: c.name + ".golden", Data: []byte(got)})
			}
			if golden.Rewrite() {
				golden.Write(t, file, string(txtar.Format(&txtar.Archive{Comment: a.Comment, Files: rewritten})))
			}
		})
	}
}

func archives(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	return files
}

// example is one broken spec.
type example struct {
	name   string
	files  []txtar.File
	golden string
}

func cases(a *txtar.Archive) []*example {
	var all []*example
	byName := map[string]*example{}
	of := func(name string) *example {
		if byName[name] == nil {
			byName[name] = &example{name: name}
			all = append(all, byName[name])
		}
		return byName[name]
	}
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, ".golden"); ok && !strings.Contains(name, "/") {
			of(name).golden = string(f.Data)
			continue
		}
		name, _, _ := strings.Cut(f.Name, "/")
		of(name).files = append(of(name).files, f)
	}
	return all
}

// complaints is what there is to say of a case, the same twice.
func (c *example) complaints(t *testing.T) string {
	t.Helper()
	o := c.options(t)
	got := complain(t, o)
	if diff := cmp.Diff(got, complain(t, o)); diff != "" {
		t.Errorf("%s: a second time it is another:\n%s", c.name, diff)
	}
	return got
}

func complain(t *testing.T, o engine.Options) string {
	report := engine.Validate(t.Context(), o)
	if len(report.Diagnostics) == 0 {
		t.Errorf("%s: nothing is wrong with it", o.Spec)
	}
	text := view.Diagnostics(report.Diagnostics, report.Sources, false, 0)
	return strings.ReplaceAll(text, o.Cwd, "DIR")
}

// options unpacks the case and reads its args.
func (c *example) options(t *testing.T) engine.Options {
	t.Helper()
	o := engine.Options{
		Inputs: engine.Inputs{Spec: "spec.hcl", Cwd: t.TempDir(), Inventories: []string{"inventory.hcl"}, Vars: map[string]string{}},
		Home:   t.TempDir(), Builtin: specs.FS, Inventory: inventories.FS, Kinds: modules.All(),
	}
	write(t, filepath.Join(o.Cwd, "inventory.hcl"), []byte(hosts))
	for _, f := range c.files {
		name := strings.TrimPrefix(f.Name, c.name+"/")
		if name == "args" {
			setOptions(t, &o, string(f.Data))
			continue
		}
		write(t, filepath.Join(o.Cwd, name), f.Data)
	}
	return o
}

func setOptions(t *testing.T, o *engine.Options, args string) {
	t.Helper()
	for line := range strings.Lines(args) {
		option, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch option {
		case "--spec":
			o.Spec = value
		case "--var":
			name, text, _ := strings.Cut(value, "=")
			o.Vars[name] = text
		case "--var-file":
			o.VarFiles = append(o.VarFiles, value)
		case "--environ":
			o.Environ = append(o.Environ, value)
		case "--stop-after":
			o.StopAfter = value
		case "--start-at":
			o.StartAt = value
		case "--only":
			o.Only = append(o.Only, value)
		case "--skip":
			o.Skip = append(o.Skip, value)
		case "--tags":
			o.Tags = append(o.Tags, value)
		case "--skip-tags":
			o.SkipTags = append(o.SkipTags, value)
		case "--limit":
			o.Limit = append(o.Limit, value)
		case "--hosts":
			o.Hosts = append(o.Hosts, strings.Split(value, ",")...)
		default:
			t.Fatalf("there is no option %q here", option)
		}
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
