package run_test

import (
	"testing"

	"kinit/engine/internal/run"
)

const perHost = `
locals {
  said = trimspace(task.command.say[host.name].stdout)
  file = "DIR/${local.said}.conf"
}
task "command" "say" {
  hosts     = run.hosts
  argv      = ["sh", "-c", "test $WHERE != FAIL && echo $WHERE-said"]
  read_only = true
  environment = { WHERE = host.name }
}
task "copy" "conf" {
  hosts   = run.hosts
  when    = local.said != "b-said"
  dest    = local.file
  content = local.said
}
task "command" "see" {
  hosts = run.hosts
  argv  = ["echo", local.said]
}
`

func TestLocalHasAValueForEachHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.command.say["a"] ok`, `task.command.say["b"] ok`,
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] skipped: when is false`,
		`task.command.see["a"] changed`, `task.command.see["b"] changed`,
	}, show(j.run(perHost)))
	check(t, []string{"a-said", "none"}, []string{j.read("a-said.conf"), j.read("b-said.conf")})
}

func TestLocalOfAHostThatFailedStopsOnlyThisHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "down,b")
	check(t, []string{
		`task.command.say["down"] unreachable`, `task.command.say["b"] ok`,
		`task.copy.conf["down"] skipped: after the failure of task.command.say["down"]`, `task.copy.conf["b"] skipped: when is false`,
		`task.command.see["down"] skipped: after the failure of task.command.say["down"]`, `task.command.see["b"] changed`,
	}, show(j.run(perHost)))
}

// The local of b cannot be evaluated, since its task printed something else.
func TestLocalThatCannotBeEvaluatedFailsOnlyItsHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	result := j.run(`
locals {
  number = parseint(trimspace(task.command.say[host.name].stdout), 10)
}
task "command" "say" {
  hosts     = run.hosts
  argv      = ["echo", host.name == "a" ? "12" : "many"]
  read_only = true
}
task "command" "use" {
  hosts = run.hosts
  argv  = ["test", local.number, "=", "12"]
}
`)
	check(t, []string{
		`task.command.say["a"] ok`, `task.command.say["b"] ok`, `task.command.use["a"] changed`, `task.command.use["b"] failed`,
	}, show(result))
	check(t, []string{
		`Invalid value for "number" parameter: cannot parse "many" as a base 10 integer. This is local.number on the host b.`,
	}, details(result))
}

func TestLocalIsKnownAfterAChangeInADryRun(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.check = true
	result := j.run(`
locals {
  said = task.command.change[host.name].stdout
}
task "command" "change" {
  hosts = run.hosts
  argv  = ["touch", "DIR/changed"]
}
task "command" "use" {
  hosts = run.hosts
  when  = local.said == ""
  argv  = ["echo", local.said]
}
`)
	check(t, []string{`task.command.change["a"] changed`, `task.command.use["a"] changed`}, show(result))
	check(t, []string{`known after task.command.change["a"]`}, result.Tasks[1].Steps)
	check(t, []string{"none"}, []string{j.read("changed")})
}

// details is what the diagnostics of a run say, in plan order.
func details(result *run.Result) []string {
	var all []string
	for _, d := range result.Diagnostics {
		all = append(all, d.Detail)
	}
	return all
}
