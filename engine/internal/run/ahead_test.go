package run_test

import (
	"strings"
	"testing"
)

func TestTasksThatAreLookedAtAheadShareOneAttemptToConnect(t *testing.T) {
	t.Parallel()
	j := newJob(t, "down")
	j.check, j.ahead, j.forks = true, true, 6
	result := j.run(`
task "command" "look" {
  for_each  = toset(["1", "2", "3", "4", "5", "6"])
  host      = "down"
  argv      = ["true"]
  read_only = true
}
`)
	for _, line := range show(result) {
		if !strings.HasSuffix(line, " unreachable") && !strings.Contains(line, "skipped: after the failure of task.command.look") {
			t.Error(line)
		}
	}
	if len(result.Tasks) != 6 || j.tried.Load() != 1 {
		t.Errorf("%d tasks, %d attempts to connect; want 6 and 1", len(result.Tasks), j.tried.Load())
	}
}
