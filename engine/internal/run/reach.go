package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// reachAgain is the time between two attempts to reach a host that a task waits for.
const reachAgain = time.Second

// reach connects to the host of a task. For one about the connection itself it waits until the host
// answers, and reconnects.
func (r *runner) reach(ctx context.Context, t *plan.Task, task module.Task) (*host.Machine, error) {
	about, ok := task.(module.Connector)
	if !ok {
		return r.machines.connect(ctx, t)
	}
	want := about.Connection()
	if want.Reset && !r.opts.Check {
		r.machines.connections.Renew(t.Host)
	}
	begin := time.Now()
	for {
		machine, err := r.machines.connect(ctx, t)
		switch {
		case err == nil || !isConnection(err) || errors.Is(err, transport.ErrHostKey) || ctx.Err() != nil || r.opts.Check:
			return machine, err
		case time.Since(begin) > want.Within:
			return nil, fmt.Errorf("waited %s for a connection: %w", want.Within, err)
		}
		elapsed := time.Since(begin).Truncate(time.Second)
		r.report.progress(t)(event.Progress{Text: fmt.Sprintf("wait for a connection, %s: %s", elapsed, event.FirstLine(err.Error()))})
		if err := pace.Wait(ctx, reachAgain); err != nil {
			return nil, err
		}
	}
}
