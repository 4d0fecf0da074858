package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sources makes files: those below "disk/" on the disk, the others inside the program.
func sources(t *testing.T, files map[string]string) Sources {
	t.Helper()
	dir, inside := t.TempDir(), fstest.MapFS{}
	for name, text := range files {
		rest, onDisk := strings.CutPrefix(name, "disk/")
		if !onDisk {
			inside[name] = &fstest.MapFile{Data: []byte(text)}
			continue
		}
		path := filepath.Join(dir, rest)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Sources{Cwd: dir, Home: "/home/user", Builtin: inside}
}

// names lists the addresses of a spec's tasks, and stages in front.
func names(s *Spec) string {
	var all []string
	for _, stage := range s.Stages {
		all = append(all, stage.Name)
	}
	for _, t := range s.Tasks {
		all = append(all, t.Address())
	}
	return strings.Join(all, " ")
}

const (
	task  = `task "note" "NAME" {}`
	shipd = `spec "shipped" { playbook = "web" }`
)

func taskNamed(name string) string { return strings.ReplaceAll(task, "NAME", name) + "\n" }

func TestLoadFindsSpecsAndPlaybooks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		files                 map[string]string
		path                  string
		name, folder, play, w string
	}{
		"a file on the disk that is itself a playbook": {
			map[string]string{"disk/sites/site.hcl": taskNamed("a")},
			"sites/site.hcl", "site", "sites", "sites", "task.note.a",
		},
		"without the ending": {
			map[string]string{"disk/site.hcl": taskNamed("a")},
			"site", "site", ".", ".", "task.note.a",
		},
		"a playbook beside the spec, its files by name": {
			map[string]string{
				"disk/s/x.hcl":          `spec "x" { playbook = "web" }`,
				"disk/s/web/20.hcl":     taskNamed("b"),
				"disk/s/web/10.hcl":     taskNamed("a"),
				"disk/s/web/x.tmpl.hcl": "${",
				"disk/s/web/.y.hcl":     "${",
				"disk/s/web/readme.md":  "${",
			},
			"s/x.hcl", "x", "s", "s/web", "task.note.a task.note.b",
		},
		"a playbook inside the program": {
			map[string]string{"disk/x.hcl": `spec "x" { playbook = "web" }`, "web/a.hcl": taskNamed("a")},
			"x.hcl", "x", ".", "builtin:web", "task.note.a",
		},
		"a spec inside the program": {
			map[string]string{"shipped.hcl": shipd, "web/a.hcl": taskNamed("a")},
			"shipped", "shipped", "builtin:", "builtin:web", "task.note.a",
		},
		"a spec inside the program by its path in the source tree": {
			map[string]string{"shipped.hcl": shipd, "web/a.hcl": taskNamed("a")},
			"specs/shipped.hcl", "shipped", "builtin:", "builtin:web", "task.note.a",
		},
		"a name inside the program comes before a file": {
			map[string]string{"shipped.hcl": shipd, "web/a.hcl": taskNamed("a"), "disk/shipped.hcl": taskNamed("mine"), "disk/shipped": taskNamed("mine")},
			"shipped", "shipped", "builtin:", "builtin:web", "task.note.a",
		},
		"a path means a file": {
			map[string]string{"shipped.hcl": shipd, "web/a.hcl": taskNamed("a"), "disk/shipped.hcl": taskNamed("mine")},
			"./shipped", "shipped", ".", ".", "task.note.mine",
		},
		"the ending of a file means a file": {
			map[string]string{"shipped.hcl": shipd, "web/a.hcl": taskNamed("a"), "disk/shipped.hcl": taskNamed("mine")},
			"shipped.hcl", "shipped", ".", ".", "task.note.mine",
		},
		"a name that the program's template expands comes before a file": {
			map[string]string{"k7s-box.tmpl.hcl": taskNamed("program"), "disk/k7s-box-1-1-1": taskNamed("disk"), "disk/k7s-box-1-1-1.hcl": taskNamed("disk")},
			"k7s-box-1-1-1", "k7s-box-1-1-1", "builtin:", "builtin:", "task.note.program",
		},
		"a name that a template expands": {
			map[string]string{
				"k9s-qemu.tmpl.hcl": `spec "${name}" { playbook = "web" }` + "\n" +
					`task "note" "c${controllers}-w${computes}-h${hypervisors}" { text = "$${var.x}" }`,
				"web/a.hcl": taskNamed("a"),
			},
			"k9s-qemu-3-0-12", "k9s-qemu-3-0-12", "builtin:", "builtin:web", "task.note.c3-w0-h12 task.note.a",
		},
		"a template for all drivers": {
			map[string]string{"k7s.tmpl.hcl": taskNamed("${name}-by-${driver}-c${controllers}")},
			"k7s-box-3-0-1", "k7s-box-3-0-1", "builtin:", "builtin:", "task.note.k7s-box-3-0-1-by-box-c3",
		},
		"a template for one driver before that for all": {
			map[string]string{"k7s.tmpl.hcl": taskNamed("all"), "k7s-box.tmpl.hcl": taskNamed("one-of-${driver}")},
			"k7s-box-1-1-1", "k7s-box-1-1-1", "builtin:", "builtin:", "task.note.one-of-box",
		},
		"a template for all drivers beside the path before one inside the program": {
			map[string]string{"disk/k7s.tmpl.hcl": taskNamed("disk"), "k7s-box.tmpl.hcl": taskNamed("program")},
			"./k7s-box-1-1-1", "k7s-box-1-1-1", ".", ".", "task.note.disk",
		},
		"the template for every distribution": {
			map[string]string{
				"every_distribution.tmpl.hcl": `spec "${name}" { playbook = "${distribution}" }` + "\n" + taskNamed("${driver}-c${controllers}"),
				"k6s/distribution.hcl":        taskNamed("a"),
			},
			"k6s-box-3-0-1", "k6s-box-3-0-1", "builtin:", "builtin:k6s", "task.note.box-c3 task.note.a",
		},
		"a distribution's own template before that for every distribution": {
			map[string]string{
				"every_distribution.tmpl.hcl": taskNamed("every"), "k6s.tmpl.hcl": taskNamed("own"), "k6s/distribution.hcl": taskNamed("a"),
			},
			"k6s-box-1-1-1", "k6s-box-1-1-1", "builtin:", "builtin:", "task.note.own",
		},
		"a template beside the path": {
			map[string]string{"disk/my/x-y.tmpl.hcl": taskNamed("${name}")},
			"my/x-y-1-1-1.hcl", "x-y-1-1-1", "my", "my", "task.note.x-y-1-1-1",
		},
		"imports, each once, from beside the folder and from the program": {
			map[string]string{
				"disk/s/x.hcl":         `spec "x" { playbook = "web" }`,
				"disk/s/web/a.hcl":     `import { source = "base" }` + "\n" + `import { source = "./sub" }` + "\n" + taskNamed("a"),
				"disk/s/base/b.hcl":    `import { source = "more" }` + "\n" + taskNamed("b"),
				"disk/s/web/sub/c.hcl": `import { source = "../../base" }` + "\n" + taskNamed("c"),
				"more/d.hcl":           `import { source = "more" }` + "\n" + taskNamed("d"),
			},
			"s/x.hcl", "x", "s", "s/web", "task.note.a task.note.b task.note.c task.note.d",
		},
		"stages in the order they follow each other": {
			map[string]string{"disk/x.hcl": `
				stage "c" { after = ["b"] }
				stage "a" {}
				stage "b" { after = ["a"] }
			`},
			"x", "x", ".", ".", "a b c",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, diags := Load(sources(t, test.files), test.path)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			got := []string{s.Name, s.Folder, s.Playbook, names(s)}
			if diff := cmp.Diff([]string{test.name, test.folder, test.play, test.w}, got); diff != "" {
				t.Error(diff)
			}
			for _, task := range s.Tasks {
				if s.Sources[task.Range.Filename] == nil {
					t.Errorf("no source of %s", task.Range.Filename)
				}
			}
		})
	}
}

func TestLoadTellsWhatCannotBeFound(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"k9s-qemu-1-1-1.hcl": "", "k9s-qemu.tmpl.hcl": "${nmae}", "bad-qemu.tmpl.hcl": "task ${", "k7s.tmpl.hcl": "",
		"every_distribution.tmpl.hcl": "", "k6s/distribution.hcl": "", "k5s/other.hcl": "",
		"disk/empty/readme": "", "disk/a.hcl": `spec "a" { playbook = "nowhere" }`, "disk/b.hcl": `import { source = "empty" }`,
	}
	tests := map[string]struct{ path, want string }{
		"nothing given":         {"", "No spec: Give the path of a spec file or the name of a spec, such as <distro>-<driver>-<controllers>-<computes>-<hypervisors>."},
		"a mistyped name":       {"k8s-qemu-1-1-1", `Spec not found: There is no spec file k8s-qemu-1-1-1, and no spec of this name ships with kinit. Did you mean "k6s-qemu-1-1-1" or "k7s-qemu-1-1-1" or "k9s-qemu-1-1-1"? A name that is in no file may be <distro>-<driver>-<controllers>-<computes>-<hypervisors>, where <distro>-<driver> is one of bad-qemu, k6s-<driver>, k7s-<driver>, k9s-qemu.`},
		"no distribution":       {"k5s-box-3-2-2", `Spec not found: There is no spec file k5s-box-3-2-2, and no spec of this name ships with kinit. Did you mean "k6s-box-3-2-2" or "k7s-box-3-2-2"? A name that is in no file may be <distro>-<driver>-<controllers>-<computes>-<hypervisors>, where <distro>-<driver> is one of bad-qemu, k6s-<driver>, k7s-<driver>, k9s-qemu.`},
		"a zero of hypervisors": {"k9s-qemu-1-1-0", `Spec not found: There is no spec file k9s-qemu-1-1-0, and no spec of this name ships with kinit. Did you mean "k9s-qemu-1-1-1"? A name that is in no file may be <distro>-<driver>-<controllers>-<computes>-<hypervisors>, where <distro>-<driver> is one of bad-qemu, k6s-<driver>, k7s-<driver>, k9s-qemu.`},
		"a template's mistake":  {"k9s-qemu-2-1-1", `builtin:k9s-qemu.tmpl.hcl:1,3-7: Unknown name: There is no "nmae" here. Did you mean "name"? In a template, ${ and %{ that are meant for the spec are written $${ and %%{.`},
		"a missing playbook":    {"a", `a.hcl:1,23-32: Playbook not found: There is no folder "nowhere" here or inside kinit; it was looked for as nowhere, builtin:nowhere.`},
		"an empty import":       {"b", `b.hcl:1,19-26: Empty playbook: The folder empty has no .hcl files.`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := Load(sources(t, files), test.path)
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoadKeepsTheTemplateForItsMistakes(t *testing.T) {
	t.Parallel()
	s, _ := Load(sources(t, map[string]string{"k9s-qemu.tmpl.hcl": "${nmae}"}), "k9s-qemu-2-1-1")
	if got := string(s.Sources["builtin:k9s-qemu.tmpl.hcl"].Bytes); got != "${nmae}" {
		t.Errorf("got %q", got)
	}
}
