package run_test

import (
	"strings"
	"testing"
)

// rolling is a stage whose task fails on the hosts that FAIL names.
const rolling = `
stage "web" {
  ROLL
}
stage "after" { after = ["web"] }
handler "command" "reload" { argv = ["true"] }
task "command" "drain" {
  stage    = "web"
  for_each = run.hosts
  host     = "lb"
  argv     = ["true"]
}
task "command" "deploy" {
  stage      = "web"
  hosts      = run.hosts
  argv       = ["sh", "-c", "! echo FAIL | grep -qw ${host.name}"]
  depends_on = [task.command.drain]
  notify     = [handler.command.reload]
}
task "command" "enable" {
  stage      = "web"
  for_each   = run.hosts
  host       = "lb"
  argv       = ["true"]
  depends_on = [task.command.deploy]
}
task "command" "test" {
  stage = "after"
  hosts = run.hosts
  argv  = ["true"]
}
host "lb" {
  address   = "lb"
  transport = "local"
}
`

func rolled(roll, fail string) string {
	return strings.ReplaceAll(strings.ReplaceAll(rolling, "ROLL", roll), "FAIL", fail)
}

func TestSerialDoesBatchAfterBatch(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b,c")
	j.forks = 4
	j.run(rolled(`serial = [1, "70%"]`, "none"))
	order := j.order()
	if len(order) != 15 {
		t.Fatalf("started %v", order)
	}
	check(t, []string{`task.command.drain["a"]`, `task.command.deploy["a"]`, `task.command.enable["a"]`, `handler.command.reload["a"]`}, sortedLast(order[:4]))
	for _, started := range order[4:12] {
		if !strings.Contains(started, `["b"]`) && !strings.Contains(started, `["c"]`) {
			t.Errorf("%s in the second batch", started)
		}
	}
	for _, started := range order[12:] {
		if !strings.HasPrefix(started, "task.command.test") {
			t.Errorf("%s after the batches", started)
		}
	}
}

// sortedLast leaves the order of tasks and puts the handler last: with several
// workers it may start beside the last task, but never before.
func sortedLast(order []string) []string {
	var tasks, handlers []string
	for _, name := range order {
		if strings.HasPrefix(name, "handler.") {
			handlers = append(handlers, name)
			continue
		}
		tasks = append(tasks, name)
	}
	return append(tasks, handlers...)
}

func TestFailedBatchStopsTheFollowingOnes(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b,c")
	check(t, []string{
		`task.command.drain["a"] changed`,
		`task.command.drain["b"] changed`,
		`task.command.drain["c"] skipped: after the failure of task.command.deploy["b"]`,
		`task.command.deploy["a"] changed`,
		`task.command.deploy["b"] failed`,
		`task.command.deploy["c"] skipped: after the failure of task.command.deploy["b"]`,
		`task.command.enable["a"] changed`,
		`task.command.enable["b"] skipped: after the failure of task.command.deploy["b"]`,
		`task.command.enable["c"] skipped: after the failure of task.command.deploy["b"]`,
		`handler.command.reload["a"] changed`,
		`task.command.test["a"] skipped: after the failure of task.command.deploy["b"]`,
		`task.command.test["b"] skipped: after the failure of task.command.deploy["b"]`,
		`task.command.test["c"] skipped: after the failure of task.command.deploy["b"]`,
	}, show(j.run(rolled("serial = 1", "b"))))
}

func TestMaxFailLeavesFailedHostsOutAndGoesOnWithTheOthers(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b,c")
	check(t, []string{
		`task.command.drain["a"] changed`,
		`task.command.drain["b"] changed`,
		`task.command.drain["c"] changed`,
		`task.command.deploy["a"] failed`,
		`task.command.deploy["b"] changed`,
		`task.command.deploy["c"] changed`,
		`task.command.enable["a"] skipped: after the failure of task.command.deploy["a"]`,
		`task.command.enable["b"] changed`,
		`task.command.enable["c"] changed`,
		`handler.command.reload["b"] changed`,
		`handler.command.reload["c"] changed`,
		`task.command.test["a"] skipped: after the failure of task.command.deploy["a"]`,
		`task.command.test["b"] changed`,
		`task.command.test["c"] changed`,
	}, show(j.run(rolled("serial = 2\n  max_fail = \"50%\"", "a"))))
}

func TestMoreFailuresThanMaxFailAreTheReason(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b,c,d")
	got := show(j.run(rolled("serial = 3\n  max_fail = 1", "b c")))
	check(t, []string{
		`task.command.drain["d"] skipped: 2 of 3 hosts failed in batch 1 of 2 of stage "web", and max_fail is 1`,
		`task.command.deploy["a"] changed`,
		`task.command.deploy["b"] failed`,
		`task.command.deploy["c"] failed`,
		`task.command.deploy["d"] skipped: 2 of 3 hosts failed in batch 1 of 2 of stage "web", and max_fail is 1`,
	}, got[3:8])
	check(t, []string{`task.command.test["a"] skipped: 2 of 3 hosts failed in batch 1 of 2 of stage "web", and max_fail is 1`}, got[len(got)-4:len(got)-3])
}

func TestMaxFailWithoutSerialIsOfTheWholeStage(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b,c")
	got := show(j.run(rolled("max_fail = 1", "c")))
	check(t, []string{
		`task.command.test["a"] changed`, `task.command.test["b"] changed`,
		`task.command.test["c"] skipped: after the failure of task.command.deploy["c"]`,
	}, got[len(got)-3:])
}

func TestFailureOfAHostStopsItsOwnTasksOnly(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.command.one["a"] failed`, `task.command.one["b"] changed`,
		`task.command.two["a"] skipped: after the failure of task.command.one["a"]`, `task.command.two["b"] changed`,
		`task.command.all skipped: after the failure of task.command.one["a"]`,
		`task.command.single skipped: after the failure of task.command.one["a"]`,
	}, show(j.run(`
task "command" "one" {
  hosts = run.hosts
  argv  = ["test", host.name, "!=", "a"]
}
task "command" "two" {
  hosts      = run.hosts
  argv       = ["true"]
  depends_on = [task.command.one]
}
task "command" "all" {
  argv       = ["true"]
  depends_on = [task.command.two]
}
task "command" "single" {
  host       = "b"
  argv       = ["true"]
  depends_on = [task.command.two]
}
`)))
}

func TestUnreachableHostIsTriedOnce(t *testing.T) {
	t.Parallel()
	j := newJob(t, "down,b")
	result := j.run(`
task "command" "one" {
  hosts = run.hosts
  argv  = ["true"]
}
task "command" "two" {
  hosts = run.hosts
  argv  = ["true"]
}
task "command" "evidence" {
  on_failure = true
  host       = "down"
  argv       = ["true"]
}
`)
	check(t, []string{
		`task.command.one["down"] unreachable`, `task.command.one["b"] changed`,
		`task.command.two["down"] skipped: after the failure of task.command.one["down"]`, `task.command.two["b"] changed`,
		`task.command.evidence skipped: after the failure of task.command.one["down"]`,
	}, show(result))
	if len(result.Diagnostics) != 1 {
		t.Errorf("diagnostics: %v", result.Diagnostics)
	}
}
