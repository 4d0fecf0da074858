package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// runTask does one task, and tries again as its block says. Changes of a failed attempt
// count as changes.
func (r *runner) runTask(ctx context.Context, t *plan.Task) (outcome, error) {
	var before outcome
	for attempt := 1; ; attempt++ {
		out, err := r.timed(ctx, t, before)
		out = out.after(before, err)
		if err == nil || attempt >= t.Retry.Attempts || ctx.Err() != nil || r.opts.Check {
			return out, err
		}
		before = out
		message := event.FirstLine(r.report.errorText(t, err))
		r.report.emitOf(t, event.Event{Kind: event.TaskRetried, Attempt: attempt, Message: message})
		if err := pace.Wait(ctx, t.Retry.Delay); err != nil {
			return out, err
		}
	}
}

// after adds the changes of earlier attempts. A step that failed in one of them may have
// changed something before. If nothing is left to do now, it has.
func (o outcome) after(before outcome, err error) outcome {
	o.steps, o.changed = together(before.steps, o.steps), before.changed || o.changed
	if err == nil && len(before.begun) > 0 {
		o.steps, o.changed = together(o.steps, before.begun), true
	}
	o.begun = together(before.begun, o.begun)
	return o
}

// together joins two lists of steps, each step once.
func together(before, now []string) []string {
	for _, step := range now {
		if !slices.Contains(before, step) {
			before = append(slices.Clip(before), step)
		}
	}
	return before
}

// The time limit of an attempt at a task without a timeout. A module with its own waiting
// time gets that time, and some more to report.
const (
	defaultTimeout = 30 * time.Minute
	afterWithin    = 5 * time.Minute
)

// timed does one attempt within the task's timeout.
func (r *runner) timed(ctx context.Context, t *plan.Task, before outcome) (outcome, error) {
	limit, advice := t.Timeout, ""
	if limit <= 0 {
		limit, advice = r.opts.Timeout, ", the limit of a task that says no timeout"
		if limit <= 0 {
			limit = defaultTimeout
		}
		if within := t.Within(r.values); within > 0 {
			limit = max(limit, within+afterWithin)
		}
	}
	g := &gauge{limit: limit, report: r.report.progress(t)}
	limited, stretched := pace.Within(ctx, limit, g)
	defer stretched.End()
	out, err := r.attempt(limited, t, g, before)
	if err != nil && pace.Passed(limited) && ctx.Err() == nil {
		return out, fmt.Errorf("timed out after %s%s: %w", stretched, advice, err)
	}
	return out, err
}

// attempt is the core of kinit: decode, plan, do, look again. before is what earlier attempts
// came to.
func (r *runner) attempt(ctx context.Context, t *plan.Task, g *gauge, before outcome) (out outcome, err error) {
	if first := r.waitsFor(t); first != "" {
		return known("after " + first), nil
	}
	if r.opts.Offline {
		return known("when " + t.Host + " is asked"), nil
	}

	// Decode: what earlier tasks returned is known now.
	task, around, diags := r.decode(t)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	r.report.emitArguments(t, task)
	if out, ok := r.cached(t, task); ok {
		return r.applyConditions(ctx, t, out, nil)
	}
	machine, err := r.reach(ctx, t, task)
	if err == nil {
		err = t.On(machine.OS())
	}
	if err != nil {
		return outcome{}, err
	}
	g.machine.Store(machine)
	h := r.bind(t, machine, around, r.report.progress(t))
	// The playbook's conditions decide on how everything below ends.
	defer func() {
		if host.Lost(ctx, h, err) {
			err = fmt.Errorf("%s: %w: the connection was lost while the task spoke with a server there, so it is unknown how far it came: %w",
				t.Host, transport.ErrUnreachable, r.report.cause(t, err))
		}
		machine.Fenced(err)
		err = host.Whose(ctx, h, host.Full(ctx, h, host.Barred(ctx, h, err)))
		out = out.after(before, err)
		out, err = r.applyConditions(ctx, t, out, err)
	}()

	if here, ok := task.(module.Here); ok {
		here.From(r.opts.Cwd, r.opts.Home)
	}
	if err := atHome(ctx, h, task); err != nil {
		return outcome{}, err
	}

	// Two tasks that edit one file at the same time would lose the change of one of them.
	turn, err := r.turns.take(ctx, t, task)
	if err != nil {
		return outcome{}, err
	}
	defer func() { turn.end(len(out.steps) > 0 && !r.opts.Check) }()

	// Plan: a check ends here if there is something to do.
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return outcome{}, err
	}
	changes := module.Changes(steps)
	foretold, read := r.foretold(t)
	removes := module.Removals(steps)
	if r.opts.Check && len(steps) > 0 {
		return outcome{removes: removes, steps: r.report.steps(t, steps), changed: changes, pending: true, loose: foretold, message: r.report.message(t, task)}, nil
	}
	if read != "" { // nothing to do now, but it may find something else then
		return known("after " + read), nil
	}
	if r.opts.Expect != nil && len(steps) > 0 {
		if err := r.opts.Expect(t, r.report.steps(t, steps), turn.edited); err != nil {
			return outcome{}, err
		}
	}

	if r.opts.Removes != nil && len(removes) > 0 {
		if err := r.opts.Removes(ctx, t.Host, removes); err != nil {
			return outcome{}, err
		}
	}
	if changes {
		if err := r.owed.promise(ctx, t); err != nil {
			return outcome{}, err
		}
	}
	// Do: what is done counts, even if a later step fails.
	if changes && t.Block.Kind.Signs {
		if err := host.Settle(ctx, h); err != nil {
			return out, err
		}
	}
	for _, step := range steps {
		text := r.report.step(t, step)
		r.report.emitOf(t, event.Event{Kind: event.StepStarted, Steps: []string{text}})
		if err := host.Check(ctx, h); err != nil {
			return out, err
		}
		if err := step.Do(ctx, h); err != nil {
			if module.Changes([]module.Step{step}) {
				out.begun = []string{text}
			}
			return out, err
		}
		out.steps, out.changed = append(out.steps, text), module.Changes(steps)
	}

	// Look again: nothing may be left to do, and the values are read.
	if changes {
		if err := verify(ctx, h, task); err != nil {
			return out, err
		}
	}
	out.message, out.loose, out.removes = r.report.message(t, task), foretold, removes
	return out, r.keepOutputs(ctx, h, t, task)
}

// verify plans again: steps that remain after everything was done have not worked.
func verify(ctx context.Context, h module.Host, task module.Task) error {
	if u, ok := task.(module.Unverifiable); ok && u.Unverifiable() {
		return nil
	}
	left, err := task.Plan(ctx, h)
	if err != nil {
		return fmt.Errorf("look again after the change: %w", err)
	}
	if len(left) == 0 {
		return nil
	}
	texts := lists.Map(left, func(step module.Step) string { return event.FirstLine(step.String()) })
	return fmt.Errorf("the change did not hold; still to do: %s", strings.Join(texts, "; "))
}

// keepOutputs reads the task's values for the tasks that refer to it.
func (r *runner) keepOutputs(ctx context.Context, h module.Host, t *plan.Task, task module.Task) error {
	values, err := module.Outputs(ctx, task, h)
	if err != nil {
		return fmt.Errorf("read the outputs: %w", err)
	}
	if values == nil {
		r.values.Set(t.Address, nil)
		return nil
	}
	values = t.Outputs(values, r.report.hidden(t))
	if t.Sensitive {
		for _, value := range values {
			r.report.redactor.Add(sensitive.Texts(value)...)
		}
	}
	r.values.Set(t.Address, values)
	r.report.emitOutputs(t, values)
	r.remember(t, task, values)
	return nil
}

// gauge measures the host of an attempt after the connection; before that its pace is
// unknown. It shows how the limit changes.
type gauge struct {
	limit   time.Duration
	report  func(event.Progress)
	machine atomic.Pointer[host.Machine]
}

// Pace returns what is known of the host.
func (g *gauge) Pace() float64 {
	if m := g.machine.Load(); m != nil {
		return m.Pace()
	}
	return pace.Ordinary
}

func (g *gauge) Measure(ctx context.Context) float64 {
	m := g.machine.Load()
	if m == nil {
		return pace.Ordinary
	}
	before := m.Pace()
	found := m.Measure(ctx)
	if pace.Stretch(g.limit, found) > pace.Stretch(g.limit, before) {
		g.report(event.Progress{Text: "the time limit is now " + pace.Text(g.limit, found)})
	}
	return found
}
