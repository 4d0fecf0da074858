package run_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/engine/transport"
)

// slowShell is a connection to a machine that says, when it is measured, what it is told to
// say.
type slowShell struct {
	transport.Conn
	mu   sync.Mutex
	says []string
}

func (s *slowShell) Exec(ctx context.Context, p transport.Process) (int, error) {
	if !strings.Contains(p.Line, "/proc/uptime") {
		return s.Conn.Exec(ctx, p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	if len(s.says) > 0 {
		text, s.says = s.says[0], s.says[1:]
	}
	_, err := io.WriteString(p.Stdout, text)
	return 0, err
}

// What a machine says that is 3 times, or 10 times, slower than an ordinary one.
const (
	three = "pace 100.00 100.30 25\n"
	ten   = "pace 100.00 101.00 25\n"
)

func TestTheTimeLimitOfASlowHostIsLonger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shell []string
		task  string
		want  string
	}{
		"of a task that says none": {[]string{three}, ``,
			"timed out after 600ms (200ms on a machine of ordinary speed; this one is 3 times slower), the limit of a task that says no timeout: "},
		"of one that says it": {[]string{three}, `timeout = "100ms"`,
			"timed out after 300ms (100ms on a machine of ordinary speed; this one is 3 times slower): "},
		"that is slower when it has passed": {[]string{"", three}, `timeout = "100ms"`,
			"timed out after 300ms (100ms on a machine of ordinary speed; this one is 3 times slower): "},
		"that cannot be measured": {[]string{}, `timeout = "100ms"`, "timed out after 100ms: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a")
			j.timeout, j.shell = 200*time.Millisecond, c.shell
			result := j.run(block(`task "command"`, "long", `host = "a"`, `argv = ["sleep", "600"]`, c.task))
			got := result.Tasks[0]
			if got.Status != event.Failed || !strings.Contains(got.Message, c.want) {
				t.Errorf("it is %s: %s", got.Status, got.Message)
			}
			var told []string
			for len(j.events.events) > 0 {
				if e := <-j.events.events; e.Kind == event.TaskProgress {
					told = append(told, e.Progress.Text)
				}
			}
			longer, _, _ := strings.Cut(strings.TrimPrefix(c.want, "timed out after "), ")")
			if want := []string{"the time limit is now " + longer + ")"}; strings.Contains(longer, "slower") {
				check(t, want, told)
			} else {
				check(t, nil, told)
			}
		})
	}
}

func TestASlowHostHasTheTimeItTakes(t *testing.T) {
	t.Parallel()
	inTime(t, func(j *job) { j.shell = []string{ten} }, map[string]string{
		"for a task": block(`task "command"`, "long", `host = "a"`, `argv = ["sleep", "2"]`, `timeout = "1s"`),
		"for what a module waits for": block(`task "wait"`, "long", `host = "a"`,
			`argv = ["sh", "-c", "echo >>DIR/looks; test $(wc -l <DIR/looks) -ge 4"]`, `within = "1s"`),
	})
}
