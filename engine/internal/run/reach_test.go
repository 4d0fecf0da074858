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

// late does a playbook whose host answers only after some attempts, and says how many there were.
func (j *job) late(failures int32, text string) (result *run.Result, attempts int32) {
	p := j.build(text)
	var tried atomic.Int32
	pool := host.NewConnectionsWith(func(_ context.Context, name string) (host.Settings, error) { return host.Settings{Name: name}, nil }, j.redactor,
		func(context.Context, host.Settings, transport.Conn) (transport.Conn, error) {
			if n := tried.Add(1); n <= failures {
				return nil, fmt.Errorf("%w: attempt %d", transport.ErrUnreachable, n)
			}
			return local.New(), nil
		})
	defer pool.Close()
	result = run.Run(j.t.Context(), p, &plan.Values{}, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	return result, tried.Load()
}

// TestATaskWaitsForItsHost: tasks that come after it find the host, and others wait behind it.
func TestATaskWaitsForItsHost(t *testing.T) {
	t.Parallel()
	result, attempts := newJob(t, "far").late(2, block(`task "connection"`, "up", `host = "far"`, `within = "1m"`)+
		block(`task "command"`, "after", `host = "far"`, `argv = ["touch", "DIR/after"]`, `depends_on = [task.connection.up]`))
	check(t, []string{"task.connection.up ok", "task.command.after changed"}, show(result))
	check(t, []string{"3 attempts"}, []string{fmt.Sprintf("%d attempts", attempts)})
}

func TestATaskGivesUpAHostThatNeverAnswers(t *testing.T) {
	t.Parallel()
	result, _ := newJob(t, "far").late(1<<20, block(`task "connection"`, "up", `host = "far"`, `within = "10ms"`))
	if got := fmt.Sprint(result.Diagnostics); !strings.Contains(got, "waited 10ms for a connection") {
		t.Errorf("the problems are %s", got)
	}
}

// TestResetMakesANewConnection: for tasks that begin afterwards.
func TestResetMakesANewConnection(t *testing.T) {
	t.Parallel()
	result, attempts := newJob(t, "far").late(0, block(`task "command"`, "before", `host = "far"`, `argv = ["true"]`)+
		block(`task "connection"`, "again", `host = "far"`, `reset = true`, `depends_on = [task.command.before]`)+
		block(`task "command"`, "after", `host = "far"`, `argv = ["true"]`, `depends_on = [task.connection.again]`))
	check(t, []string{"task.command.before changed", "task.connection.again ok", "task.command.after changed"}, show(result))
	check(t, []string{"2 attempts"}, []string{fmt.Sprintf("%d attempts", attempts)})
}
