// Package run does what a plan says: it walks the graph, brings each task about
// on its host, and tells what happened.
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
	Check    bool    // read only: say what would change
	Confirm  Confirm // asked before each task that would change something; nil does all
	Forks    int     // how many tasks run at the same time, at least 1
	Expect   Expect  // holds each task to what it may change; nil allows all
	Events   event.Sink
	Redactor *secret.Redactor
	Recall   Recall // the zero value recalls nothing
	// Lasting ends when the run may do nothing more, not even what is done always; nil is
	// never.
	Lasting context.Context
	// Timeout is how long an attempt at a task that says no timeout may take, 30 min when 0.
	Timeout time.Duration
}

// TaskResult is how one task ended.
type TaskResult struct {
	Task     *plan.Task
	Status   event.Status
	Steps    []string
	Pending  bool   // in a dry run: nothing is known of it before other tasks have run
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

// Run walks the plan: the main section, then what is for failures, then what is
// done always. It waits for everything it started. The machines are pool's, which
// the caller closes.
func Run(ctx context.Context, p *plan.Plan, values *plan.Values, pool *host.Pool, opts Options) *Result {
	r := &runner{plan: p, values: values, pool: pool, opts: opts, done: map[string]*record{},
		reasons: map[string]string{}, dropped: map[string]string{}, lost: map[string]string{}}
	r.emit(event.Event{Kind: event.RunStarted, Total: p.Main.Total()})
	started := time.Now()
	r.here = r.attend(ctx)
	defer r.here.leave()

	r.walk(ctx, p.Main)
	if r.failed() {
		r.walk(ctx, p.OnFailure)
	}
	// What is done always is done after an interrupt too, where hosts still answer, and is short.
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

// walk does one section and records what was not reached.
func (r *runner) walk(ctx context.Context, s plan.Section) {
	if s.Graph == nil {
		return
	}
	outcomes := s.Graph.Walk(ctx, r.opts.Forks, graph.Visitor[string]{
		Visit: func(ctx context.Context, key string) error {
			if t := s.Task(key); t != nil {
				return r.visit(ctx, t)
			}
			return r.pass(s.Gate(key))
		},
		Skipped: func(key, cause string) { r.skipKey(s, key, cause) },
	})
	for _, o := range outcomes {
		switch o.Status {
		case graph.Skipped: // not told before the interrupt
			r.skipKey(s, o.Key, o.Cause)
		case graph.Cancelled:
			if t := s.Task(o.Key); t != nil && r.asked(t) {
				r.skip(t, "interrupted")
			}
		}
	}
}

// skipKey notes a task that was not done because of another's failure.
func (r *runner) skipKey(s plan.Section, key, cause string) {
	if t := s.Task(key); t != nil && r.asked(t) {
		r.skip(t, r.because(cause))
	}
}

// skip notes a task that was not done because of a failure or an interrupt. It is
// counted, and is no error of its own. Once noted, it stays so.
func (r *runner) skip(t *plan.Task, why string) {
	rec := r.finish(t, time.Now(), event.Skipped, nil, why)
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.undone = true
	if r.reasons[t.Address] == "" {
		r.reasons[t.Address] = why
	}
}

// because is why what depends on a failed key is not done.
func (r *runner) because(cause string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.reasons[cause]; why != "" {
		return why
	}
	return "after the failure of " + cause
}
