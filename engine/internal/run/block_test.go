package run_test

import (
	"strings"
	"testing"
)

// rollback and unlock are the last tasks of a block.
const (
	rollback = `
  task "command" "rollback" {
    on_failure = true
    argv       = ["true"]
  }
`
	unlock = `
  task "command" "unlock" {
    always = true
    argv   = ["true"]
  }
`
)

const deploy = `
block "deploy" {
  hosts = run.hosts
  environment = { WHERE = host.name }
  task "command" "install" {
    argv = ["sh", "-c", "test $WHERE != FAIL"]
  }
  task "command" "start" {
    argv       = ["true"]
    depends_on = [task.command.install]
  }
` + rollback + unlock + `}
task "command" "after" {
  hosts      = run.hosts
  argv       = ["true"]
  depends_on = [block.deploy]
}
`

func TestBlockWithoutFailureDoesNotSpeakOfItsRollback(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.command.install["a"] changed`, `task.command.start["a"] changed`,
		`task.command.unlock["a"] changed`, `task.command.after["a"] changed`,
	}, show(j.run(strings.ReplaceAll(deploy, "FAIL", "none"))))
	check(t, []string{
		`task.command.install["a"]`, `task.command.start["a"]`, `task.command.unlock["a"]`, `task.command.after["a"]`,
	}, j.order())
}

func TestBlockRollsBackOnTheHostThatFailed(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.command.install["a"] failed`, `task.command.install["b"] changed`,
		`task.command.start["a"] skipped: after the failure of task.command.install["a"]`, `task.command.start["b"] changed`,
		`task.command.rollback["a"] changed`,
		`task.command.unlock["a"] changed`, `task.command.unlock["b"] changed`,
		`task.command.after["a"] skipped: after the failure of task.command.install["a"]`, `task.command.after["b"] changed`,
	}, show(j.run(strings.ReplaceAll(deploy, "FAIL", "a"))))
	order := strings.Join(j.order(), " ")
	rollback, unlock := strings.Index(order, `rollback["a"]`), strings.Index(order, `unlock["a"]`)
	if rollback < 0 || rollback > unlock {
		t.Errorf("started %s", order)
	}
}

func TestBlockThatIsNotReachedDoesNothing(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	got := show(j.run(`
task "command" "first" { argv = ["false"] }
block "deploy" {
  depends_on = [task.command.first]
  task "command" "install" { argv = ["true"] }
` + rollback + unlock + `}
`))
	check(t, []string{
		`task.command.first failed`,
		`task.command.install skipped: after the failure of task.command.first`,
		`task.command.unlock skipped: after the failure of task.command.first`,
	}, got)
}

func TestRollbackReadsWhatTheFailedTaskDidNotSay(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.command.install failed`, `task.command.rollback changed`,
	}, show(j.run(`
block "deploy" {
  host = "a"
  task "command" "install" { argv = ["false"] }
  task "command" "rollback" {
    on_failure = true
    argv       = ["sh", "-c", "echo ${task.command.install.stdout == null ? "nothing" : "something"} > DIR/said"]
  }
}
`)))
	check(t, []string{"nothing\n"}, []string{j.read("said")})
}
