package run

import (
	"context"
	"errors"
	"fmt"

	"kinit/engine/diag"
	"kinit/engine/internal/plan"
	"kinit/engine/transport"
)

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
	if c := t.FailedWhen(); c != nil && result != nil {
		if err = r.failedWhen(t, c, result, err); err != nil {
			return out, err
		}
	}
	if err != nil {
		return out, err
	}
	if c := t.ChangedWhen(); c != nil {
		changed, known, diags := c.Met(r.values, result)
		if diags.HasErrors() {
			return out, diags
		}
		if known {
			out.judged = &changed
		}
	}
	if c := t.Until(); c != nil && result != nil {
		met, _, diags := c.Met(r.values, result)
		if diags.HasErrors() {
			return out, diags
		}
		if !met {
			return out, notMet(c, "Not yet true", "What until waits for is not true%s.", tries(t))
		}
	}
	return out, nil
}

// isConnection reports whether an error means that a host cannot be used.
func isConnection(err error) bool {
	return errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrAuth) || errors.Is(err, transport.ErrHostKey)
}

// resultOf returns the result for the conditions, or nil if a dry run cannot know it.
func (r *runner) resultOf(t *plan.Task, out outcome, err error) *plan.Result {
	if out.pending {
		return nil
	}
	result := &plan.Result{Changed: len(out.steps) > 0, Sensitive: r.hidden(t).All}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Outputs = r.values.Get(t.Address)
	return result
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
		return notMet(c, "Task failed", "What failed_when describes is true.")
	case err != nil:
		r.values.Set(t.Address, nil)
	}
	return nil
}

func notMet(c *plan.Condition, summary, format string, args ...any) error {
	at := c.Range
	return diag.Errorf(&at, summary, format, args...)
}

// tries describes how often a task was tried.
func tries(t *plan.Task) string {
	if t.Retry.Attempts < 2 {
		return ""
	}
	return fmt.Sprintf(" after %d attempts", t.Retry.Attempts)
}
