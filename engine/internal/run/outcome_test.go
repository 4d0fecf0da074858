package run_test

import (
	"testing"

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
