package run_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"kinit/engine/event"
)

func TestATaskThatSaysNoTimeoutHasOne(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.timeout = 200 * time.Millisecond
	result := j.run(block(`task "command"`, "long", `host = "a"`, `argv = ["sleep", "600"]`))
	if got := result.Tasks[0]; got.Status != event.Failed || !strings.Contains(got.Message, "timed out after 200ms, the limit of a task that says no timeout: ") {
		t.Errorf("it is %s: %s", got.Status, got.Message)
	}
}

func TestALongTaskRaisesTheLimit(t *testing.T) {
	t.Parallel()
	inTime(t, func(j *job) { j.timeout = 100 * time.Millisecond }, map[string]string{
		"by its timeout":       block(`task "command"`, "long", `host = "a"`, `argv = ["sleep", "0.5"]`, `timeout = "1m"`),
		"by what it waits for": block(`task "wait"`, "long", `host = "a"`, `argv = ["sleep", "0.5"]`, `within = "1m"`),
	})
}

// inTime wants the task of each playbook to end within its time limit.
func inTime(t *testing.T, set func(*job), playbooks map[string]string) {
	for name, text := range playbooks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a")
			set(j)
			if got := j.run(text).Tasks[0]; got.Status == event.Failed {
				t.Errorf("it failed: %s", got.Message)
			}
		})
	}
}

// Hosts that do not answer take no place among the tasks that run: with one place, the
// task of the host that lives is done while the others are still waited for.
func TestDeadHostsHoldUpNoOthers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	j := newJob(t, "silent1,silent2,silent3,a")
	j.silent = listener.Addr().(*net.TCPAddr).Port
	result := j.run(`
task "command" "x" {
  hosts = run.hosts
  argv  = ["true"]
}
`)
	var ends []time.Time
	for _, got := range result.Tasks {
		want := event.Unreachable
		if got.Host == "a" {
			want = event.Changed
		}
		if got.Status != want {
			t.Errorf("%s is %s: %s", got.Address, got.Status, got.Message)
		}
		ends = append(ends, got.Started.Add(got.Duration))
	}
	for i, end := range ends[:3] {
		if !ends[3].Before(end) {
			t.Errorf("the live host was done %s after the silent %d", ends[3].Sub(end), i)
		}
	}
}
