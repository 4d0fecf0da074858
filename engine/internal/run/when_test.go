package run_test

import "testing"

const facts = `
task "facts" "all" { hosts = run.hosts }
task "command" "here" {
  hosts = run.hosts
  when  = task.facts.all[host.name].cpus > 0
  argv  = ["true"]
}
task "command" "not" {
  hosts = run.hosts
  when  = task.facts.all[host.name].os_id == "no such system"
  argv  = ["false"]
}
task "command" "after" {
  argv = ["test", task.command.not["a"].code == null ? "null" : "known", "=", "null"]
}
task "command" "unknown" {
  when = task.command.after.code == 0
  argv = ["true"]
}
`

func TestWhenMayAskForFacts(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.facts.all["a"] ok`, `task.command.here["a"] changed`, `task.command.not["a"] skipped: when is false`,
		`task.command.after changed`, `task.command.unknown changed`,
	}, show(j.run(facts)))
}

func TestWhenIsNotKnownInADryRunBeforeAChange(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.check = true
	result := j.run(facts)
	check(t, []string{
		`task.facts.all["a"] ok`, `task.command.here["a"] changed`, `task.command.not["a"] skipped: when is false`,
		`task.command.after changed`, `task.command.unknown changed`,
	}, show(result))
	check(t, []string{"known after task.command.after"}, result.Tasks[4].Steps)
}
