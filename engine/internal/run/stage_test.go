package run_test

import (
	"strings"
	"testing"
)

// beside has the stages one and two beside each other, three after two, and four, in which one
// of two hosts may fail, before five.
const beside = `
stage "one" {}
stage "two" {}
stage "three" { after = ["two"] }
task "command" "fails" {
  stage = "one"
  argv  = ["false"]
}
task "command" "slow" {
  stage = "one"
  argv  = ["sleep", "SLOW"]
}
task "command" "second" {
  stage = "two"
  argv  = ["sleep", "0.3"]
}
task "command" "third" {
  stage = "three"
  argv  = ["true"]
}
task "command" "alone" { argv = ["true"] }
`

// A stage that does not come after the failed one, but after one beside it, does not begin either,
// whether the failed stage has ended or not. Stages that have begun go on.
func TestNoStageBeginsAfterAFailureInAnother(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]string{"the failed stage has ended": "0", "the failed stage is still at work": "2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a")
			j.forks = 8
			check(t, []string{
				`task.command.alone changed`, `task.command.fails failed`, `task.command.slow changed`, `task.command.second changed`,
				`task.command.third skipped: after the failure of task.command.fails`,
			}, show(j.run(strings.ReplaceAll(beside, "SLOW", slow))))
		})
	}
}

// Hosts that may fail end no stage, as long as there are not more of them.
func TestStageBeginsBesideAFailureThatMaxFailAllows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ roll, fails, third string }{
		"allowed":              {`max_fail = 1`, "a", "changed"},
		"too many":             {`max_fail = 1`, "a b", "skipped: 2 of 3 hosts failed in stage \"one\", and max_fail is 1"},
		"allowed in a batch":   {"serial = 3\n  max_fail = 1", "a", "changed"},
		"too many in a batch":  {"serial = 3\n  max_fail = 1", "a b", "skipped: 2 of 3 hosts failed in batch 1 of 1 of stage \"one\", and max_fail is 1"},
		"the batch has no max": {"serial = 3", "c", `skipped: after the failure of task.command.fails["c"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a,b,c")
			j.forks = 8
			got := show(j.run(strings.NewReplacer("ROLL", c.roll, "FAILS", c.fails).Replace(`
stage "one" {
  ROLL
}
stage "two" {}
stage "three" { after = ["two"] }
task "command" "fails" {
  stage = "one"
  hosts = run.hosts
  argv  = ["sh", "-c", "! echo FAILS | grep -qw ${host.name}"]
}
task "command" "slow" {
  stage = "one"
  hosts = run.hosts
  argv  = ["sleep", "1"]
}
task "command" "second" {
  stage = "two"
  argv  = ["sleep", "0.4"]
}
task "command" "third" {
  stage = "three"
  argv  = ["true"]
}
`)))
			check(t, []string{`task.command.third ` + c.third}, got[len(got)-1:])
		})
	}
}
