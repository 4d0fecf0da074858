package run_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/run"
)

// many is a playbook of 200 tasks of one host, without an order between them.
func many(host string) string {
	return fmt.Sprintf(`
task "command" "x" {
  for_each = [for i in range(200) : tostring(i)]
  host     = %q
  argv     = ["true"]
  timeout  = "20s"
}
`, host)
}

// TestManyTasksOfADeadHostWaitForTheFirst: the deadline is shorter than the limit of the task that
// connects, so a wait that only that limit ends is an interrupt.
func TestManyTasksOfADeadHostWaitForTheFirst(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	j := newJob(t, "silent1")
	j.silent, j.forks = listener.Addr().(*net.TCPAddr).Port, 2
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	j.ctx = ctx
	result := j.run(many("silent1"))
	first := slices.IndexFunc(result.Tasks, func(task run.TaskResult) bool { return task.Status == event.Unreachable })
	if first < 0 {
		t.Fatalf("no task is unreachable: %v", show(result)[0])
	}
	var want []string
	for i, task := range result.Tasks {
		line := task.Address + " skipped: after the failure of " + result.Tasks[first].Address
		if i == first {
			line = task.Address + " unreachable"
		}
		want = append(want, line)
	}
	check(t, want, show(result))
}

func TestManyTasksWaitForAHostThatAnswersLate(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.slow, j.forks = time.Second, 2
	var want []string
	result := j.run(many("a"))
	for _, task := range result.Tasks {
		want = append(want, task.Address+" changed")
	}
	check(t, want, show(result))
}
