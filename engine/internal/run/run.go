// Package run executes a plan: it walks the graph, does each task on its host, and emits
// events.
package run

import (
	"context"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/graph"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/secret"
)

// Options is what a run needs besides the plan.
type Options struct {
	Check     bool    // read only, and report what would change
	Ahead     bool    // with Check: look at all tasks at once, then report them in order
	Confirm   Confirm // asked before each task that would change something; nil allows all
	Forks     int     // how many tasks run at the same time, at least 1
	Expect    Expect  // limits the changes of each task; nil allows all
	Events    event.Sink
	Redactor  *secret.Redactor
	FactCache FactCache // the zero value keeps nothing
	// Lasting ends when the run must stop completely, tasks of always included; nil never
	// ends.
	Lasting context.Context
	// Timeout limits an attempt at a task without a timeout, 30 min if 0.
	Timeout time.Duration
}

// TaskResult is how one task ended.
type TaskResult struct {
	Task     *plan.Task
	Status   event.Status
	Steps    []string
	Pending  bool   // in a dry run: its changes are not known before other tasks have run
	Message  string // redacted
	Started  time.Time
	Duration time.Duration
}

// Result is how a run ended.
type Result struct {
	Tasks       []TaskResult // in plan order
	Values      *plan.Values
	Diagnostics diag.List // in plan order
}

// Run walks the plan: the main section, then on_failure, then always. It waits for
// everything it started. It uses the machines of pool, which the caller closes.
func Run(ctx context.Context, p *plan.Plan, values *plan.Values, pool *host.Pool, opts Options) *Result {
	r := newRunner(p, values, pool, opts)
	r.emit(event.Event{Kind: event.RunStarted, Total: p.Main.Total()})
	started := time.Now()
	r.here = r.attend(ctx)
	defer r.here.leave()

	if opts.Check && opts.Ahead {
		r.ahead(ctx, p.Main)
	}
	r.walk(ctx, p.Main)
	if r.failed() {
		r.walk(ctx, p.OnFailure)
	}
	// Tasks of always run after an interrupt too, on hosts that still answer, for a short
	// time.
	lasting := opts.Lasting
	if lasting == nil {
		lasting = context.WithoutCancel(ctx)
	}
	always, cancel := context.WithTimeout(lasting, alwaysLimit)
	defer cancel()
	r.walk(always, p.Always)

	result := &Result{Tasks: r.results(), Values: values, Diagnostics: r.diagnostics()}
	r.emit(event.Event{Kind: event.RunFinished, Duration: time.Since(started)})
	return result
}

// alwaysLimit ends "always" tasks that hang after an interrupt.
const alwaysLimit = 10 * time.Minute

// walk does one section and records the tasks that were not reached.
func (r *runner) walk(ctx context.Context, s plan.Section) {
	if s.Graph == nil {
		return
	}
	outcomes := s.Graph.Walk(ctx, r.opts.Forks, graph.Visitor[plan.Key]{
		Visit: func(ctx context.Context, key plan.Key) error {
			t, gate := s.At(key)
			if t != nil {
				return r.visit(ctx, t)
			}
			return r.pass(gate)
		},
		Skipped: func(key, cause plan.Key) { r.skipKey(s, key, cause) },
	})
	for _, o := range outcomes {
		switch o.Status {
		case graph.Skipped: // not ready before the interrupt
			r.skipKey(s, o.Key, o.Cause)
		case graph.Cancelled:
			if t, _ := s.At(o.Key); t != nil && r.asked(t) {
				r.skip(t, "interrupted")
			}
		}
	}
}

// skipKey records a task that was not done because another failed.
func (r *runner) skipKey(s plan.Section, key, cause plan.Key) {
	if t, _ := s.At(key); t != nil && r.asked(t) {
		r.skip(t, r.because(cause.String()))
	}
}

// skip records a task that was not done because of a failure or an interrupt. It is
// counted, but is no error. A later call does not change it.
func (r *runner) skip(t *plan.Task, why string) {
	rec := r.finish(t, time.Now(), event.Skipped, nil, why)
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.undone = true
	if r.reasons[t.Address] == "" {
		r.reasons[t.Address] = why
	}
}

// because returns why the tasks that depend on a failed key are skipped.
func (r *runner) because(cause string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.reasons[cause]; why != "" {
		return why
	}
	return "after the failure of " + cause
}
