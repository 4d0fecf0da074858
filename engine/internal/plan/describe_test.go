package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"kinit/engine/event"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
)

const described = `
-- options --
skip task.file.b
-- spec.hcl --
stage "one" {}
stage "two" { after = ["one"] }

task "file" "a" {
  stage = "one"
  path  = "/a"
}

task "file" "b" {
  stage      = "two"
  path       = "/b"
  depends_on = [task.file.a]
}

task "file" "c" {
  stage      = "two"
  path       = "/c"
  depends_on = [task.file.b]
}

task "guest" "vm" {
  for_each = toset(["x", "y"])
  stage    = "two"
  name     = each.key
  memory   = 2
  password = "hunter22-${each.key}" # not shown
  depends_on = [task.file.c]
}

task "file" "log" {
  always = true
  path   = "/log"
}
`

func TestDescribeIsTheGraphWithTheLinesOfItsBlocks(t *testing.T) {
	t.Parallel()
	archive := txtar.Parse([]byte(described))
	p, diags := buildIn(t, unpack(t, archive), options(archive))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got := p.Describe([]*spec.Stage{{Name: "one"}, {Name: "two", After: []string{"one"}}})
	place := func(from, to, column int) event.Range {
		return event.Range{File: "spec.hcl", Start: event.Position{Line: from, Column: 1}, End: event.Position{Line: to, Column: column}}
	}
	want := &event.Plan{
		Stages: []event.Stage{{Name: "one"}, {Name: "two", After: []string{"one"}}},
		Blocks: []event.Block{
			{Range: place(4, 7, 2), Text: "task \"file\" \"a\" {\n  stage = \"one\"\n  path  = \"/a\"\n}"},
			{Range: place(15, 19, 2), Text: "task \"file\" \"c\" {\n  stage      = \"two\"\n  path       = \"/c\"\n  depends_on = [task.file.b]\n}"},
			{Range: place(21, 28, 2), Text: "task \"guest\" \"vm\" {\n  for_each = toset([\"x\", \"y\"])\n  stage    = \"two\"\n  name     = each.key\n  memory   = 2\n" +
				"  password = \"***${each.key}\" # not shown\n  depends_on = [task.file.c]\n}"},
			{Range: place(30, 33, 2), Text: "task \"file\" \"log\" {\n  always = true\n  path   = \"/log\"\n}"},
		},
		Tasks: []event.Task{
			{Address: "task.file.a", Module: "file", Host: "localhost", Stage: "one", Block: 0},
			{Address: "task.file.c", Module: "file", Host: "localhost", Stage: "two", Block: 1, Needs: []int{0}}, // through b, which is skipped
			{Address: `task.guest.vm["x"]`, Module: "guest", Host: "localhost", Stage: "two", Block: 2, Needs: []int{1}},
			{Address: `task.guest.vm["y"]`, Module: "guest", Host: "localhost", Stage: "two", Block: 2, Needs: []int{1}},
			{Address: "task.file.log", Module: "file", Host: "localhost", Section: event.Always, Block: 3},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
}

const alike = `
-- options --
skip task.file.left
-- spec.hcl --
task "file" "all" {
  for_each = toset(["x", "y", "z"])
  path     = each.key
}
task "file" "left" {
  path       = "/left"
  depends_on = [task.file.all]
}
task "file" "one" {
  path       = "/one"
  depends_on = [task.file.all]
}
task "file" "two" {
  path       = task.file.all["x"].path
  depends_on = [task.file.all, task.file.one]
}
task "file" "three" {
  path       = "/three"
  depends_on = [task.file.left]
}
handler "note" "end" { text = "end" }
task "note" "n" {
  text   = "n"
  notify = [handler.note.end]
}
task "file" "log" {
  for_each = toset(["p", "q"])
  always   = true
  path     = each.key
}
task "file" "last" {
  always     = true
  path       = "/last"
  depends_on = [task.file.log]
}
`

func TestWhatManyTasksWaitForAlikeIsDescribedOnce(t *testing.T) {
	t.Parallel()
	archive := txtar.Parse([]byte(alike))
	p, diags := buildIn(t, unpack(t, archive), options(archive))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got := p.Describe(nil)
	type waits struct {
		Needs, Sets []int
		All         []int
	}
	found := map[string]waits{}
	for _, task := range got.Tasks {
		found[task.Address] = waits{task.Needs, task.Sets, slices.Sorted(got.Waits(task))}
	}
	want := map[string]waits{
		`task.file.all["x"]`:            {}, // 0
		`task.file.all["y"]`:            {},
		`task.file.all["z"]`:            {},
		`task.file.one`:                 {Sets: []int{0}, All: []int{0, 1, 2}},                           // 3
		`task.file.two`:                 {Needs: []int{0, 3}, Sets: []int{0}, All: []int{0, 0, 1, 2, 3}}, // 4
		`task.file.three`:               {Sets: []int{0}, All: []int{0, 1, 2}},                           // through the one that is skipped
		`task.note.n`:                   {},                                                              // 6
		`handler.note.end["localhost"]`: {Sets: []int{1}, All: []int{0, 1, 2, 3, 4, 5, 6}},               // 7
		`task.file.log["p"]`:            {},                                                              // 8
		`task.file.log["q"]`:            {},
		`task.file.last`:                {Sets: []int{2}, All: []int{8, 9}},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if diff := cmp.Diff([][]int{{0, 1, 2}, {0, 1, 2, 3, 4, 5, 6}, {8, 9}}, got.Sets); diff != "" {
		t.Errorf("sets (-want +got): %s", diff)
	}
}

func TestArgumentsAreListedWithSecretsMasked(t *testing.T) {
	t.Parallel()
	yes := true
	guest := &fakeGuest{Name: "vm", Memory: 2, Disks: []string{"a", "b"}, Password: "hunter22",
		Tune: &fakeTune{Kind: "cpu", Huge: &yes}, NICs: []fakeNIC{{MAC: "52:54:00:00:00:01"}, {MAC: "52:54:00:00:00:02", MTU: 1442}}}
	values, secrets := decode.Arguments(guest, decode.Sensitivity{})
	want := []event.Value{
		{Name: "name", Text: "vm"}, {Name: "memory", Text: "2"}, {Name: "disks", Text: `["a","b"]`}, {Name: "password", Text: "***", Mask: true},
		{Name: "tune.kind", Text: "cpu"}, {Name: "tune.huge", Text: "true"},
		{Name: "nic[0].mac", Text: "52:54:00:00:00:01"}, {Name: "nic[1].mac", Text: "52:54:00:00:00:02"}, {Name: "nic[1].mtu", Text: "1442"},
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if diff := cmp.Diff([]string{"hunter22"}, secrets); diff != "" {
		t.Errorf("secrets (-want +got): %s", diff)
	}
}

// hiding keeps an argument to itself.
type hiding struct {
	quiet
	Stdin string `hcl:"stdin,optional" log:"-"`
}

func TestAnArgumentThatAModuleKeepsToItselfIsOnlyNamed(t *testing.T) {
	t.Parallel()
	var task module.Task = &hiding{Stdin: "something"}
	values, _ := decode.Arguments(task, decode.Sensitivity{})
	if diff := cmp.Diff([]event.Value{{Name: "stdin", Text: "(not shown)", Mask: true}}, values); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
}
