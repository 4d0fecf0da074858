// Package run executes a plan: it walks the graph, does each task on its host, and emits
// events.
//
// A runner is the state of one run. It knows how tasks ended, which decides whether
// others are done; a reporter, which emits events and hides what tasks must not show; and
// machines, which connect tasks to their hosts.
package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/graph"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/pace"
)

// Result is how a run ended.
type Result struct {
	Tasks       []TaskResult // in plan order
	Values      *plan.Values
	Diagnostics diag.List // in plan order
}

// Run walks the plan: the main section, then on_failure, then always. It waits for
// everything it started. It uses connections, which the caller closes.
func Run(ctx context.Context, p *plan.Plan, values *plan.Values, connections *host.Connections, opts Options) *Result {
	r := newRunner(p, values, connections, opts)
	r.report.emit(event.Event{Kind: event.RunStarted, Total: p.Main.Total()})
	started := time.Now()
	// Tasks of always run after an interrupt too, on hosts that still answer, for a short
	// time.
	lasting := opts.Lasting
	if lasting == nil {
		lasting = context.WithoutCancel(ctx)
	}
	always, end := limited(ctx, lasting, alwaysLimit)
	defer end()
	r.always = always
	r.watch = r.machines.watchHosts(ctx, slices.Concat(p.Always.Tasks, cleanups(p.Main)))
	defer r.watch.leave()

	if opts.Check && opts.Ahead {
		r.ahead(ctx, p.Main)
	}
	r.walk(ctx, p.Main)
	if ctx.Err() != nil {
		r.cleanUp(always, p.Main)
	}
	if slices.ContainsFunc(p.Main.Tasks, func(t *plan.Task) bool { return r.endings.of(t.Address).failed() }) {
		r.walk(ctx, p.OnFailure)
	} else {
		r.handleOwed(ctx, p.OnFailure)
	}
	r.passOver(p.OnFailure.Tasks) // without a failure; tasks of always may ask how they ended
	r.walk(always, p.Always)

	result := r.result()
	result.Diagnostics = append(result.Diagnostics, r.owed.left(ctx, opts.Check)...)
	r.report.emit(event.Event{Kind: event.RunFinished, Duration: time.Since(started)})
	return result
}

// alwaysLimit ends "always" tasks that hang after an interrupt.
const alwaysLimit = 10 * time.Minute

// limited returns the context of tasks that go on after an interrupt of ctx, for as long as the limit. Its end
// waits for what it has started.
func limited(ctx, lasting context.Context, limit time.Duration) (context.Context, func()) {
	within, cancel := context.WithCancel(lasting)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-within.Done():
		case <-ctx.Done():
			_ = pace.Wait(within, limit) // that within has ended before is no error
			cancel()
		}
	})
	return within, func() {
		cancel()
		watch.Wait()
	}
}

// walk does one section and records the tasks that were not reached.
func (r *runner) walk(ctx context.Context, s plan.Section) {
	if s.Graph == nil {
		return
	}
	outcomes := s.Graph.Walk(ctx, r.opts.Forks, graph.Visitor[plan.Key]{
		Visit: func(ctx context.Context, key plan.Key) error {
			t, gate := s.At(key)
			switch {
			case t != nil:
				return r.visit(ctx, t)
			case s.Begins(key):
				return r.endings.begin(key, s.Gates())
			}
			return r.endings.pass(gate)
		},
		Limit:   limitOf(s),
		Skipped: func(key, cause plan.Key) { r.skipKey(ctx, s, key, cause) },
	})
	for _, o := range outcomes {
		switch o.Status {
		case graph.Skipped: // not ready before the interrupt
			r.skipKey(ctx, s, o.Key, o.Cause)
		case graph.Cancelled:
			if t, _ := s.At(o.Key); t != nil && t.Role != plan.Cleanup && r.endings.triggered(t, true) {
				r.skip(t, "interrupted")
			}
		}
	}
	r.passOver(s.Tasks)
}

// handleOwed does the handlers of a section that earlier runs have left, without its tasks.
func (r *runner) handleOwed(ctx context.Context, s plan.Section) {
	for _, t := range s.Tasks {
		if t.Handler && t.Skip == "" && ctx.Err() == nil {
			_ = r.visit(ctx, t) // its ending says how
		}
	}
}

// limitOf returns how many instances of a task are done at the same time, by their block.
func limitOf(s plan.Section) func(plan.Key) (string, int) {
	return func(key plan.Key) (string, int) {
		if t, _ := s.At(key); t != nil {
			return t.BlockAddress(), t.Throttle
		}
		return "", 0
	}
}

// skipKey records a task that was not done because another failed.
func (r *runner) skipKey(ctx context.Context, s plan.Section, key, cause plan.Key) {
	t, _ := s.At(key)
	switch {
	case t == nil:
	case r.endings.triggered(t, ctx.Err() != nil):
		r.skip(t, r.endings.because(cause.String()))
	default:
		r.passOver([]*plan.Task{t})
	}
}

// result lists results and problems in plan order, not in the order they happened.
func (r *runner) result() *Result {
	result := &Result{Values: r.values}
	for _, t := range slices.Concat(r.plan.Main.Tasks, r.plan.OnFailure.Tasks, r.plan.Always.Tasks) {
		if end := r.endings.of(t.Address); end.task != nil {
			result.Tasks = append(result.Tasks, end.result)
			result.Diagnostics = append(result.Diagnostics, end.diags...)
		}
	}
	return result
}
