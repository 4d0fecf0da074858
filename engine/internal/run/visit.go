package run

import (
	"context"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
)

// visit does one task. It returns an error if its dependents must not run.
func (r *runner) visit(ctx context.Context, t *plan.Task) error {
	started := time.Now()
	ctx, end := r.outlasting(ctx, t)
	defer end()
	if t.Skip != "" {
		r.values.Set(t.Address, nil)
		r.finish(started, skipped(t, t.Skip))
		return nil
	}
	if !r.endings.triggered(t, ctx.Err() != nil) && !r.isOwed(ctx, t) {
		r.passOver([]*plan.Task{t})
		return nil
	}
	if why := r.endings.leftOut(t); why != "" {
		r.skip(t, why)
		return errLeftOut
	}
	needed, err := r.needed(t)
	if err != nil {
		return r.fail(ctx, t, started, outcome{}, err)
	}
	if !needed {
		r.values.Set(t.Address, nil)
		r.finish(started, skipped(t, "when is false"))
		return r.kept(ctx, t, false)
	}
	reason, err := r.declined(ctx, t)
	if err != nil {
		return r.fail(ctx, t, started, outcome{}, err)
	}
	if reason != "" {
		end := skipped(t, reason)
		end.declined = true
		r.finish(started, end)
		return nil
	}
	defer r.machines.door(t.Host).enter(ctx)()
	if why := r.endings.leftOut(t); why != "" { // since the host is known to be dead
		r.skip(t, why)
		return errLeftOut
	}
	r.report.emitOf(t, event.Event{Kind: event.TaskStarted})
	if outlasts(t) {
		within, end := r.watch.whileAnswering(ctx, t)
		defer end()
		ctx = within
	}
	out, err := r.look(ctx, t)
	if err != nil && r.opts.Check && ctx.Err() == nil {
		out, err = r.orPending(t, out, err)
	}
	if err == nil {
		err = r.kept(ctx, t, out.status() == event.Changed)
	}
	if err != nil {
		return r.fail(ctx, t, started, out, err)
	}
	if out.pending {
		r.values.SetUnknown(t.Address, t.Foretells(r.values))
	}
	result := TaskResult{Status: out.status(), Steps: out.steps, Pending: out.blind, Loose: out.loose, Removes: out.removes, Message: out.message}
	r.finish(started, ending{task: t, result: result, pending: out.pending})
	return nil
}

// kept keeps the hosts' notifications up to date after a task without an error: a handler is done, and a
// task has changed something or not. A task may have changed something without a step, by its changed_when.
func (r *runner) kept(ctx context.Context, t *plan.Task, changed bool) error {
	if r.opts.Check {
		return nil
	}
	if t.Handler {
		r.owed.settle(ctx, t)
	}
	if changed {
		return r.owed.promise(ctx, t)
	}
	r.owed.withdraw(ctx, t)
	return nil
}

// passOver settles, for those that ask, what tasks that have not ended came to: they had nothing to do, such as
// a failure to handle. They have no ending.
func (r *runner) passOver(tasks []*plan.Task) {
	for _, t := range tasks {
		if _, ended := r.values.Outcome(t.Address); !ended {
			r.values.Set(t.Address, nil)
			r.values.SetOutcome(t.Address, plan.Outcome{})
		}
	}
}

// fail records a failed task with its diagnostic. A task that an interrupt ended does not
// count as failed.
func (r *runner) fail(ctx context.Context, t *plan.Task, started time.Time, out outcome, err error) error {
	if ctx.Err() != nil {
		end := skipped(t, r.report.redact(interrupted(ctx)))
		end.result.Steps = out.steps
		r.finish(started, end)
		return ctx.Err()
	}
	status := event.Failed
	if unreachable(err) {
		status = event.Unreachable
	}
	diags := r.report.explain(t, err)
	r.report.emitProblems(t, diags, err)
	result := TaskResult{Status: status, Steps: out.steps, Message: r.report.errorText(t, err)}
	r.finish(started, ending{task: t, result: result, undone: true, diags: diags})
	return err
}

// skip records a task that was not done because of a failure or an interrupt. It is
// counted, but is no error.
func (r *runner) skip(t *plan.Task, why string) {
	end := skipped(t, why)
	end.undone = true
	r.finish(time.Now(), end)
}

// finish records how a task ended and emits the event, the first time it is called for the
// task.
func (r *runner) finish(started time.Time, end ending) {
	t, result := end.task, &end.result
	result.Address, result.Host, result.Stage, result.Range = t.Address, t.Host, t.Stage, t.Range
	result.Started, result.Duration = started, time.Since(started)
	if !r.endings.add(end) {
		return
	}
	r.values.SetOutcome(t.Address, plan.Outcome{Changed: end.changed(), Failed: end.undone})
	r.report.emitOf(t, event.Event{Kind: event.TaskFinished, Status: result.Status, Steps: result.Steps, Message: result.Message, Duration: result.Duration})
}
