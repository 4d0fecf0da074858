package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kinit/engine/internal/run"
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

// A lock that a block takes is released after an interrupt, in this block and in those around
// it, but not in blocks that the run has not reached.
func TestAlwaysInABlockIsDoneAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.command.lock changed`, `task.command.hangs skipped: interrupted`,
		`task.command.next skipped: interrupted`,
		`task.command.unlock changed`, `task.command.outside changed`,
		`task.command.later skipped: interrupted`, `task.command.unlock_later skipped: interrupted`,
		`task.command.reads changed`,
	}, show(j.stopping(`
handler "command" "reload" { argv = ["touch", "DIR/reloaded"] }
block "outer" {
  host = "a"
  block "deploy" {
    task "command" "lock" { argv = ["touch", "DIR/lock"] }
    task "command" "hangs" {
      argv       = ["sleep", "60"]
      depends_on = [task.command.lock]
    }
    task "command" "next" {
      argv       = ["true"]
      depends_on = [task.command.hangs]
    }
    task "command" "unlock" {
      always = true
      argv   = ["rm", "DIR/lock"]
    }
  }
  task "command" "outside" {
    always = true
    argv   = ["sh", "-c", "test ! -e DIR/lock"]
  }
}
block "later" {
  depends_on = [block.outer]
  task "command" "later" { argv = ["true"] }
  task "command" "unlock_later" {
    always = true
    argv   = ["touch", "DIR/unreached"]
  }
}
task "command" "reads" {
  always = true
  argv   = ["sh", "-c", "test ${task.command.unlock.changed} = true"]
}
`)))
	check(t, []string{"none", "none", "none"}, []string{j.read("lock"), j.read("unreached"), j.read("reloaded")})
}

// stopping runs a playbook that is interrupted after half a second.
func (j *job) stopping(text string) *run.Result {
	ctx, cancel := context.WithTimeout(j.t.Context(), 500*time.Millisecond)
	defer cancel()
	j.ctx = ctx
	return j.run(text)
}

func TestAlwaysInABlockThatHasBegunIsNotInterrupted(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{`task.command.first changed`, `task.command.unlock changed`, `task.command.after skipped: interrupted`}, show(j.stopping(`
block "deploy" {
  host = "a"
  task "command" "first" { argv = ["true"] }
  task "command" "unlock" {
    always = true
    argv   = ["sh", "-c", "sleep 1; touch DIR/unlocked"]
  }
}
task "command" "after" {
  argv       = ["true"]
  depends_on = [block.deploy]
}
`)))
	check(t, []string{""}, []string{j.read("unlocked")})
}

// The block has begun on the host, and is not done: failed says so of the task that was left out, and the
// rollback is done.
func TestBlockRollsBackWhenAFailureElsewhereLeavesATaskOut(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.command.outside failed`, `task.command.first changed`,
		`task.command.second skipped: after the failure of task.command.outside`,
		`task.command.rollback changed`, `task.command.says changed`,
	}, show(j.run(`
task "command" "outside" { argv = ["false"] }
block "deploy" {
  host = "a"
  task "command" "first" { argv = ["true"] }
  task "command" "second" {
    argv       = ["true"]
    depends_on = [task.command.outside]
  }
`+rollback+`}
task "command" "says" {
  argv = ["test", "${task.command.second.failed}", "=", "true"]
}
`)))
}

// An interrupt is no failure to handle.
func TestInterruptedBlockDoesNotSpeakOfItsRollback(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{
		`task.command.first changed`, `task.command.hangs skipped: interrupted`, `task.command.after skipped: interrupted`,
	}, show(j.stopping(`
block "deploy" {
  host = "a"
  task "command" "first" { argv = ["true"] }
  task "command" "hangs" {
    argv       = ["sleep", "60"]
    depends_on = [task.command.first]
  }
  task "command" "after" {
    argv       = ["true"]
    depends_on = [task.command.hangs]
  }
`+rollback+`}
`)))
}
