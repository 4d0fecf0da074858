package run

import (
	"context"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
)

// declined returns why a task is left out: the user declined it, or a task whose values it
// reads. It returns an empty text for a task to do. It does not ask about tasks without
// changes.
func (r *runner) declined(ctx context.Context, t *plan.Task) (string, error) {
	if r.opts.Confirm == nil || r.opts.Check {
		return "", nil
	}
	if need := r.declinedNeed(t); need != "" {
		return "needs " + need + ", which was left out", nil
	}
	steps, known := r.preview(ctx, t)
	if known && len(steps) == 0 {
		return "", nil
	}
	yes, err := r.opts.Confirm(ctx, t.Address, t.Host, steps)
	if err != nil || yes {
		return "", err
	}
	return "left out", nil
}

// declinedNeed returns a declined task whose values this one reads.
func (r *runner) declinedNeed(t *plan.Task) string {
	for _, address := range t.Needs {
		if end := r.endings.of(address); end.declined && !t.Args.AskOnly(end.task.Task.Task) {
			return address
		}
	}
	return ""
}

// preview returns what a task would change now. That is unknown while the task cannot be
// read, for example because it waits for something.
func (r *runner) preview(ctx context.Context, t *plan.Task) (steps []string, known bool) {
	task, around, diags := r.decode(t)
	if diags.HasErrors() {
		return nil, false
	}
	machine, err := r.machines.connect(ctx, t)
	if err != nil || t.On(machine.OS()) != nil {
		return nil, false
	}
	h := r.bind(t, machine, around, func(event.Progress) {})
	if err := atHome(ctx, h, task); err != nil {
		return nil, false
	}
	planned, err := task.Plan(ctx, h)
	if err != nil {
		return nil, false
	}
	return r.report.steps(t, planned), true
}
