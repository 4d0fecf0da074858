package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kinit/engine"
)

func TestStatusLooksAtTasksAtOnceThatOnlyComeAfterEachOther(t *testing.T) {
	t.Parallel()
	o := options(t, `
stage "s" {}

task "command" "first" {
  stage     = "s"
  host      = "localhost"
  argv      = ["sh", "-c", "touch TMP/first; n=0; while [ ! -e TMP/second ] && [ $n -lt 300 ]; do n=$((n + 1)); sleep 0.1; done; [ -e TMP/second ]"]
  read_only = true
}

task "command" "second" {
  stage      = "s"
  host       = "localhost"
  argv       = ["sh", "-c", "touch TMP/second; n=0; while [ ! -e TMP/first ] && [ $n -lt 300 ]; do n=$((n + 1)); sleep 0.1; done; [ -e TMP/first ]"]
  read_only  = true
  depends_on = [task.command.first]
}
`)
	status, report := engine.State(t.Context(), o)
	equal(t, "problems", problems(report), "")
	equal(t, "stages", status.Stages, []engine.StageStatus{{Stage: "s", InPlace: 2}})
}

// What a status says is what a plan says, which looks at each task at its turn.
func TestStatusTellsWhatAPlanTells(t *testing.T) {
	t.Parallel()
	const playbook = `
stage "one" {}
stage "two" { after = ["one"] }
stage "three" { after = ["two"] }

task "file" "there" {
  stage = "one"
  host  = "localhost"
  path  = "TMP/there"
}

task "copy" "missing" {
  stage   = "one"
  host    = "localhost"
  dest    = "TMP/missing"
  content = "x"
}

task "command" "excused" {
  stage      = "two"
  host       = "localhost"
  argv       = ["cat", "TMP/missing"]
  read_only  = true
}

task "copy" "unknown" {
  stage   = "two"
  host    = "localhost"
  dest    = "TMP/unknown"
  content = task.copy.missing.path
}

task "command" "read" {
  stage     = "two"
  host      = "localhost"
  argv      = ["echo", "yes"]
  read_only = true
}

task "command" "reads_it" {
  stage     = "two"
  host      = "localhost"
  argv      = ["test", trimspace(task.command.read.stdout), "=", "yes"]
  read_only = true
}

task "command" "left_out" {
  stage = "two"
  host  = "localhost"
  when  = task.command.read.stdout == "no"
  argv  = ["false"]
}

task "command" "after_left_out" {
  stage      = "two"
  host       = "localhost"
  argv       = ["true"]
  read_only  = true
  depends_on = [task.command.left_out]
}

task "debug" "end" {
  stage   = "three"
  host    = "localhost"
  message = "what was read is ${task.command.read.stdout}"
}
`
	const failing = `
task "command" "fails" {
  host      = "localhost"
  argv      = ["cat", "TMP/nowhere"]
  read_only = true
}

task "command" "after_it" {
  host       = "localhost"
  argv       = ["true"]
  read_only  = true
  depends_on = [task.command.fails]
}
`
	for name, text := range map[string]string{"changes pending": playbook, "a failure": failing} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, text)
			if err := os.WriteFile(filepath.Join(o.Cwd, "there"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			planned := engine.Plan(t.Context(), o)
			if planned.Invalid {
				t.Fatal(problems(planned))
			}
			status, report := engine.State(t.Context(), o)
			equal(t, "tasks", statuses(report), statuses(planned))
			equal(t, "problems", problems(report), problems(planned))
			for i, r := range report.Results {
				p := planned.Results[i]
				equal(t, r.Address, []any{r.Steps, r.Pending, r.Message}, []any{p.Steps, p.Pending, p.Message})
			}
			if name == "changes pending" {
				equal(t, "stages", status.Stages, []engine.StageStatus{{Stage: "one", InPlace: 1, ToDo: 1}, {Stage: "two", InPlace: 3, ToDo: 2}, {Stage: "three", InPlace: 1}})
			}
		})
	}
}

const observing = `
task "command" "read" {
  hosts     = run.inspect ? ["localhost"] : []
  argv      = ["echo", "yes"]
  read_only = true
}

task "command" "broken" {
  hosts     = run.inspect ? ["localhost"] : []
  argv      = ["cat", "TMP/nowhere"]
  read_only = true
}

task "copy" "missing" {
  host    = "localhost"
  dest    = "TMP/missing"
  content = "x"
}

output "read" {
  value = run.inspect ? { for host, look in task.command.read : host => trimspace(look.stdout) } : null
}

output "broken" {
  value = run.inspect ? [for look in values(task.command.broken) : look.stdout == null ? "not read" : look.stdout] : null
}
`

func TestStatusListsWhatDiffersAndWhatWasObservedWithWhatCannotBeReadAsNull(t *testing.T) {
	t.Parallel()
	o := options(t, observing)
	status, _ := engine.State(t.Context(), o, "read", "broken", "another")
	equal(t, "observed", status.Observed, map[string]string{"read": `{"localhost":"yes"}`, "broken": `["not read"]`})
	var named []string
	for _, d := range status.Differences {
		named = append(named, fmt.Sprintf("%s on %s line %d steps %d message %t", d.Task, d.Host, d.Range.Start.Line, len(d.Steps), d.Message != ""))
	}
	slices.Sort(named)
	equal(t, "differences", named, []string{
		`task.command.broken["localhost"] on localhost line 8 steps 0 message true`,
		`task.copy.missing on localhost line 14 steps 1 message false`,
	})

	observed, report := engine.Observe(t.Context(), o, "read", "another")
	equal(t, "problems", problems(report), "")
	equal(t, "observed alone", observed, map[string]string{"read": `{"localhost":"yes"}`})

	planned := engine.Plan(t.Context(), o)
	equal(t, "tasks of a plan", statuses(planned), map[string]string{"copy.missing": "changed"})
	equal(t, "outputs of a plan", len(planned.Outputs), 0)
}

func TestTheGraphOfARunHasNoTasksThatExistOnlyForCommandsThatLook(t *testing.T) {
	t.Parallel()
	graph, report := engine.Order(t.Context(), options(t, observing))
	equal(t, "problems", problems(report), "")
	var tasks []string
	for _, task := range graph.Tasks {
		tasks = append(tasks, task.Address)
	}
	equal(t, "tasks", tasks, []string{"task.copy.missing"})
}
