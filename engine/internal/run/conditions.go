package run

import (
	"context"
	"fmt"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// outcome is the result of one attempt at a task.
type outcome struct {
	steps   []string         // what was done, or would be
	begun   []string         // of steps that failed: they may have changed something
	changed bool             // a step did more than wait, or would
	judged  *bool            // the result of changed_when, nil without it
	pending bool             // it would do something, so its values are not known
	blind   bool             // its changes cannot be known before others have run
	loose   bool             // in a dry run: planned before others have changed what it may depend on
	message string           // the task's message, redacted
	removes []module.Removed // objects with data that were removed, or would be
}

// status returns how a task without an error ended.
func (o outcome) status() event.Status {
	changed := o.changed
	if o.judged != nil {
		changed = *o.judged
	}
	if changed {
		return event.Changed
	}
	return event.OK
}

// needed evaluates the conditions of when that need the values of other tasks. In a dry
// run, where these are not known, the task is planned as far as possible.
func (r *runner) needed(t *plan.Task) (bool, error) {
	conditions := t.When()
	if len(conditions) == 0 || len(t.Pending(r.values)) > 0 {
		return true, nil
	}
	for _, c := range conditions {
		met, known, diags := c.Met(r.values, nil)
		if diags.HasErrors() {
			return false, diags
		}
		if known && !met {
			return false, nil
		}
	}
	return true, nil
}

// applyConditions evaluates the playbook's conditions on an attempt: whether it failed, changed
// something, and reached what it waits for.
func (r *runner) applyConditions(ctx context.Context, t *plan.Task, out outcome, err error) (outcome, error) {
	if ctx.Err() != nil || isConnection(err) {
		return out, err
	}
	result := r.resultOf(t, out, err)
	if c := t.FailedWhen(r.values); c != nil && result != nil {
		if err = r.failedWhen(t, c, result, err); err != nil {
			return out, err
		}
	}
	if err != nil {
		return out, err
	}
	if c := t.ChangedWhen(r.values); c != nil {
		changed, known, diags := c.Met(r.values, result)
		if diags.HasErrors() {
			return out, diags
		}
		if known {
			out.judged = &changed
			if result != nil {
				result.Changed = changed
			}
		}
	}
	if c := t.Until(r.values); c != nil && result != nil {
		met, _, diags := c.Met(r.values, result)
		if diags.HasErrors() {
			return out, diags
		}
		if !met {
			return out, diag.Errorf(&c.Range, "Not yet true", "What until waits for is not true%s.", tries(t))
		}
	}
	return out, nil
}

// resultOf returns the result for the conditions, or nil if a dry run cannot know it.
func (r *runner) resultOf(t *plan.Task, out outcome, err error) *plan.Result {
	if out.pending {
		return nil
	}
	changed, secret := out.changed, r.report.hidden(t).All
	if err != nil {
		return &plan.Result{Changed: changed, Sensitive: secret, Error: err.Error()}
	}
	return &plan.Result{Changed: changed, Sensitive: secret, Outputs: r.values.Get(t.Address)}
}

// failedWhen decides by failed_when alone. If it decides that an error is no failure, the
// error is dropped and the task returns no values.
func (r *runner) failedWhen(t *plan.Task, c *plan.Condition, result *plan.Result, err error) error {
	met, _, diags := c.Met(r.values, result)
	switch {
	case diags.HasErrors():
		return diags
	case met && err != nil:
		return err
	case met:
		return diag.Errorf(&c.Range, "Task failed", "What failed_when describes is true.")
	case err != nil:
		r.values.Set(t.Address, nil)
	}
	return nil
}

// tries describes how often a task was tried.
func tries(t *plan.Task) string {
	if t.Retry.Attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" after %d attempts", t.Retry.Attempts)
}

// known is the outcome of a task in a dry run that cannot be planned now.
func known(when string) outcome {
	return outcome{changed: true, pending: true, blind: true, steps: []string{"known " + when}}
}

// waitsFor returns, in a dry run, the task that must change something before this one can
// be planned: one whose values it reads, or one that creates its host. It returns an empty
// text if the task can be planned now.
func (r *runner) waitsFor(t *plan.Task) string {
	if !r.opts.Check {
		return ""
	}
	if pending := t.Pending(r.values); len(pending) > 0 {
		return pending[0]
	}
	for _, address := range r.plan.HostNeeds(t.Host) {
		if r.endings.of(address).pending {
			return address
		}
	}
	return ""
}

// foretold reports, in a dry run, whether a task was planned with values of tasks that are still
// to change something, and which of these changes what it may have read.
func (r *runner) foretold(t *plan.Task) (is bool, read string) {
	if !r.opts.Check {
		return false, ""
	}
	of, read := t.Foretold(r.values)
	return len(of) > 0, read
}

// orPending ignores, in a dry run, the failure of a task that could not be read if an earlier
// task would change something: a service that is not started yet does not answer, and that
// is no fault.
func (r *runner) orPending(t *plan.Task, out outcome, err error) (outcome, error) {
	before := r.plan.Main.Before(t.Address)
	for _, other := range r.plan.Main.Tasks {
		if before[plan.TaskKey(other.Address)] && r.endings.of(other.Address).pending {
			return known("after " + other.Address), nil
		}
	}
	return out, err
}
