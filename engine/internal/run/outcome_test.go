package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kinit/engine/internal/plan"
)

// conf is a file of each host.
const conf = `task "copy" "conf" {
  hosts   = run.hosts
  dest    = "DIR/${host.name}.conf"
  content = "x"
}
`

// reload is done on each host where a condition is true.
func reload(when string) string {
	return block(`task "command"`, "reload", `hosts = run.hosts`, `when = `+when, `argv = ["true"]`)
}

func TestTaskMayAskWhetherAnotherFailedOrChanged(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	j.write("b.conf", "x")
	result := j.run(`
locals {
  failed = task.command.try[host.name].failed
}
task "command" "try" {
  hosts = run.hosts
  argv  = ["test", host.name, "!=", "a"]
}
` + conf + `task "command" "repair" {
  hosts = run.hosts
  when  = local.failed
  argv  = ["echo", task.command.try[host.name].code == null ? "null" : "known"]
}
` + reload("task.copy.conf[host.name].changed && !task.copy.conf[host.name].failed") + `task "command" "count" {
  argv      = ["echo", length([for name in run.hosts : name if task.command.try[name].failed])]
  read_only = true
}
`)
	check(t, []string{
		`task.command.try["a"] failed`, `task.command.try["b"] changed`,
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] ok`,
		`task.command.repair["a"] changed`, `task.command.repair["b"] skipped: when is false`,
		`task.command.reload["a"] changed`, `task.command.reload["b"] skipped: when is false`,
		`task.command.count ok`,
	}, show(result))
	if got := result.Values.Get("task.command.count")["stdout"].AsString(); got != "1\n" {
		t.Errorf("counted %q, want 1", got)
	}
}

func TestATaskThatIsSkippedHasNeitherChangedNorFailed(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.selected = plan.Selection{Skip: []string{"conf"}}
	result := j.run(conf + reload("task.copy.conf[host.name].changed") + `task "command" "say" {
  hosts     = run.hosts
  argv      = ["echo", "${task.copy.conf[host.name].changed} ${task.copy.conf[host.name].failed}"]
  read_only = true
}
`)
	check(t, []string{`task.command.reload["a"] skipped: when is false`, `task.command.say["a"] ok`}, show(result))
	if got := result.Values.Get(`task.command.say["a"]`)["stdout"].AsString(); got != "false false\n" {
		t.Errorf("said %q, want false false", got)
	}
}

func TestWhatWouldChangeIsKnownInADryRun(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	j.check = true
	j.write("b.conf", "x")
	result := j.run(conf + reload("task.copy.conf[host.name].changed"))
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] ok`,
		`task.command.reload["a"] changed`, `task.command.reload["b"] skipped: when is false`,
	}, show(result))
	check(t, []string{"run true"}, result.Tasks[2].Steps)
}

func TestWhatHandlesNoFailureHasNeitherChangedNorFailed(t *testing.T) {
	t.Parallel()
	asks := func(args ...string) string { return block(`task "command"`, "tell", append(args, `always = true`)...) }
	when := asks(`when = task.command.rollback.changed || task.command.rollback.failed`, `argv = ["true"]`)
	says := asks(`argv = ["echo", "${task.command.rollback.changed} ${task.command.rollback.failed}"]`, `read_only = true`)
	const told, skipped = "task.command.tell ok", "task.command.tell skipped: when is false"
	work := block(`task "command"`, "work", `argv = ["true"]`, `read_only = true`)
	after := strings.Replace(rollback, "argv", "depends_on = [task.command.fails]\n    argv", 1)
	fails := block(`task "command"`, "fails", `argv = ["false"]`)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"when asks":                   {work + rollback + when, []string{"task.command.work ok", skipped}},
		"an argument asks":            {work + rollback + says, []string{"task.command.work ok", told}},
		"a rescue that cannot be":     {fails + "block \"b\" {\n" + work + after + when + "}\n", []string{"task.command.fails failed", "task.command.work ok", skipped}},
		"a rescue whose cause failed": {fails + "block \"b\" {\n" + work + after + says + "}\n", []string{"task.command.fails failed", "task.command.work ok", told}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := newJob(t, "a").run(c.text)
			check(t, c.want, show(result))
			if value, said := result.Values.Get("task.command.tell")["stdout"]; said && value.AsString() != "false false\n" {
				t.Errorf("said %q, want false false", value.AsString())
			}
		})
	}
}

func TestAnInterruptedRollbackThatNothingFailedForHasNotChanged(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	j.ctx = ctx
	check(t, []string{"task.command.hangs skipped: interrupted", "task.command.tell skipped: when is false"}, show(j.run(`
block "deploy" {
  host = "a"
  task "command" "hangs" { argv = ["sleep", "60"] }
`+rollback+`}
task "command" "tell" {
  always = true
  when   = task.command.rollback.changed
  argv   = ["true"]
}
`)))
}
