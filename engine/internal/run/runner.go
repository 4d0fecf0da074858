package run

import (
	"context"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
)

// runner is the state of one run.
type runner struct {
	plan   *plan.Plan
	values *plan.Values
	pool   *host.Pool
	opts   Options
	here   *presence // the hosts with tasks of always

	mu       sync.Mutex
	done     map[string]*record // by address
	reasons  map[string]string  // by key: why its dependents are skipped, if not because it failed
	dropped  map[string]string  // by host: why it is left out
	lost     map[string]string  // by host: why nothing more is tried on it
	reported sync.Map           // addresses of the tasks whose arguments were reported
	seen     sync.Map           // of seen by address, of tasks that were looked at before their turn
	first    *sync.Map          // the first attempts to connect by login, if tasks share them; else nil
	doors    sync.Map           // of *door by host
	veils    sync.Map           // decode.Sensitivity by address, of tasks with decoded arguments
}

func newRunner(p *plan.Plan, values *plan.Values, pool *host.Pool, opts Options) *runner {
	return &runner{plan: p, values: values, pool: pool, opts: opts, done: map[string]*record{},
		reasons: map[string]string{}, dropped: map[string]string{}, lost: map[string]string{}}
}

// record is the state of a finished task.
type record struct {
	result   TaskResult
	pending  bool // in a dry run: it would change something, so its values are not known
	declined bool // the user declined it
	undone   bool // it failed, or was skipped because of a failure
	diags    diag.List
}

// visit does one task. It returns an error if its dependents must not run.
func (r *runner) visit(ctx context.Context, t *plan.Task) error {
	started := time.Now()
	if t.Skip != "" {
		r.values.Set(t.Address, nil)
		r.finish(t, started, event.Skipped, nil, t.Skip)
		return nil
	}
	if !r.asked(t) {
		r.values.Set(t.Address, nil)
		return nil
	}
	if why := r.leftOut(t); why != "" {
		r.skip(t, why)
		return errLeftOut
	}
	needed, err := r.needed(t)
	if err != nil {
		return r.fail(ctx, t, started, outcome{}, err)
	}
	if !needed {
		r.values.Set(t.Address, nil)
		r.finish(t, started, event.Skipped, nil, "when is false")
		return nil
	}
	reason, err := r.declined(ctx, t)
	if err != nil {
		return r.fail(ctx, t, started, outcome{}, err)
	}
	if reason != "" {
		rec := r.finish(t, started, event.Skipped, nil, reason)
		r.mu.Lock()
		rec.declined = true
		r.mu.Unlock()
		return nil
	}
	defer r.door(t.Host).enter(ctx)()
	if why := r.leftOut(t); why != "" { // since the host is known to be dead
		r.skip(t, why)
		return errLeftOut
	}
	r.emit(event.Event{Kind: event.TaskStarted, Task: t.Address, Host: t.Host, Stage: t.Stage})
	if t.Always {
		within, end := r.here.present(ctx, t)
		defer end()
		ctx = within
	}
	out, err := r.look(ctx, t)
	if err != nil && r.opts.Check && ctx.Err() == nil {
		out, err = r.orPending(t, out, err)
	}
	if err != nil {
		return r.fail(ctx, t, started, out, err)
	}
	if out.pending {
		r.values.SetUnknown(t.Address)
	}
	rec := r.finish(t, started, out.status(), out.steps, out.message)
	r.mu.Lock()
	rec.pending, rec.result.Pending = out.pending, out.blind
	r.mu.Unlock()
	return nil
}

// fail records a failed task with its diagnostic. A task that an interrupt ended does not
// count as failed.
func (r *runner) fail(ctx context.Context, t *plan.Task, started time.Time, out outcome, err error) error {
	if ctx.Err() != nil {
		r.finish(t, started, event.Skipped, out.steps, r.redact(interrupted(ctx)))
		return ctx.Err()
	}
	status := event.Failed
	if isConnection(err) {
		status = event.Unreachable
	}
	diags := r.explain(t, err)
	r.emitProblems(t, diags, err)
	rec := r.finish(t, started, status, out.steps, r.errorText(t, err))
	r.mu.Lock()
	rec.diags, rec.undone = diags, true
	if status == event.Unreachable && r.lost[t.Host] == "" {
		r.lost[t.Host] = "after the failure of " + t.Address
	}
	r.mu.Unlock()
	return err
}

// finish records how a task ended and emits the event.
func (r *runner) finish(t *plan.Task, started time.Time, status event.Status, steps []string, message string) *record {
	rec := &record{result: TaskResult{Task: t, Status: status, Steps: steps, Message: message,
		Started: started, Duration: time.Since(started)}}
	r.mu.Lock()
	if known := r.done[t.Address]; known != nil {
		// visit has recorded already what the walk reports.
		r.mu.Unlock()
		return known
	}
	r.done[t.Address] = rec
	r.mu.Unlock()
	r.emit(event.Event{Kind: event.TaskFinished, Task: t.Address, Host: t.Host, Stage: t.Stage,
		Status: status, Steps: steps, Message: message, Duration: rec.result.Duration})
	return rec
}

func (r *runner) emit(e event.Event) {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	r.opts.Events.Emit(e)
}

func (r *runner) redact(text string) string { return r.opts.Redactor.Redact(text) }

// reporter returns a function that emits the progress of a task.
func (r *runner) reporter(t *plan.Task) func(event.Progress) {
	return func(p event.Progress) {
		p.Text = r.opts.Redactor.RedactLine(p.Text)
		if r.hidden(t).All {
			p.Text = sensitive.Shown
		}
		r.emit(event.Event{Kind: event.TaskProgress, Task: t.Address, Host: t.Host, Stage: t.Stage, Progress: &p})
	}
}

// owner returns the owner of what a task makes, on hosts that outlive the owner. What is
// made on a guest is removed with the guest and needs no mark.
func (r *runner) owner(t *plan.Task) string {
	if r.plan.Declared(t.Host) {
		return ""
	}
	return r.plan.Owner
}

func (r *runner) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.done {
		if rec.result.Status == event.Failed || rec.result.Status == event.Unreachable {
			return true
		}
	}
	return false
}

// results lists the finished tasks in plan order.
func (r *runner) results() []TaskResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []TaskResult
	for _, t := range r.tasks() {
		if rec := r.done[t.Address]; rec != nil {
			out = append(out, rec.result)
		}
	}
	return out
}

// diagnostics lists the problems in plan order, not in the order they happened.
func (r *runner) diagnostics() diag.List {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out diag.List
	for _, t := range r.tasks() {
		if rec := r.done[t.Address]; rec != nil {
			out = append(out, rec.diags...)
		}
	}
	return out
}

func (r *runner) tasks() []*plan.Task {
	var all []*plan.Task
	for _, s := range []plan.Section{r.plan.Main, r.plan.OnFailure, r.plan.Always} {
		all = append(all, s.Tasks...)
	}
	return all
}
