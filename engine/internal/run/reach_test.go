package run_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
)

// late is a pool whose host answers only after some attempts, which it counts.
func late(j *job, failures int32, attempts *atomic.Int32) *host.Pool {
	return host.NewPoolWith(func(_ context.Context, name string) (host.Settings, error) { return host.Settings{Name: name}, nil }, j.redactor,
		func(context.Context, host.Settings, transport.Conn) (transport.Conn, error) {
			if n := attempts.Add(1); n <= failures {
				return nil, fmt.Errorf("%w: attempt %d", transport.ErrUnreachable, n)
			}
			return local.New(), nil
		})
}

// TestATaskWaitsForItsHost: tasks that come after it find the host, and others wait behind it.
func TestATaskWaitsForItsHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "far")
	p := j.build(`
task "connection" "up" {
  host   = "far"
  within = "1m"
}
task "command" "after" {
  host       = "far"
  argv       = ["touch", "DIR/after"]
  depends_on = [task.connection.up]
}
`)
	var attempts atomic.Int32
	pool := late(j, 2, &attempts)
	defer pool.Close()
	result := run.Run(t.Context(), p, &plan.Values{}, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	check(t, []string{"task.connection.up ok", "task.command.after changed"}, show(result))
	check(t, []string{"3 attempts"}, []string{fmt.Sprintf("%d attempts", attempts.Load())})
}

func TestATaskGivesUpAHostThatNeverAnswers(t *testing.T) {
	t.Parallel()
	j := newJob(t, "far")
	p := j.build(`
task "connection" "up" {
  host   = "far"
  within = "10ms"
}
`)
	var attempts atomic.Int32
	pool := late(j, 1<<20, &attempts)
	defer pool.Close()
	result := run.Run(t.Context(), p, &plan.Values{}, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	if got := fmt.Sprint(result.Diagnostics); !strings.Contains(got, "waited 10ms for a connection") {
		t.Errorf("the problems are %s", got)
	}
}

// TestResetMakesANewConnection: for tasks that begin afterwards.
func TestResetMakesANewConnection(t *testing.T) {
	t.Parallel()
	j := newJob(t, "far")
	p := j.build(`
task "command" "before" {
  host = "far"
  argv = ["true"]
}
task "connection" "again" {
  host       = "far"
  reset      = true
  depends_on = [task.command.before]
}
task "command" "after" {
  host       = "far"
  argv       = ["true"]
  depends_on = [task.connection.again]
}
`)
	var attempts atomic.Int32
	pool := late(j, 0, &attempts)
	defer pool.Close()
	result := run.Run(t.Context(), p, &plan.Values{}, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	check(t, []string{"task.command.before changed", "task.connection.again ok", "task.command.after changed"}, show(result))
	check(t, []string{"2 attempts"}, []string{fmt.Sprintf("%d attempts", attempts.Load())})
}
