package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/graph"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// outcome is the result of one attempt at a task.
type outcome struct {
	steps   []string // what was done, or would be
	changed bool     // a step did more than wait, or would
	judged  *bool    // the result of changed_when, nil without it
	pending bool     // it would do something, so its values are not known
	blind   bool     // its changes cannot be known before others have run
	message string   // the task's message, redacted
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

// runTask does one task, and tries again as its block says. Changes of a failed attempt
// count as changes.
func (r *runner) runTask(ctx context.Context, t *plan.Task) (outcome, error) {
	var before outcome
	for attempt := 1; ; attempt++ {
		out, err := r.timed(ctx, t)
		out.steps, out.changed = together(before.steps, out.steps), before.changed || out.changed
		if err == nil || attempt >= t.Retry.Attempts || ctx.Err() != nil || r.opts.Check {
			return out, err
		}
		before = out
		r.emit(event.Event{Kind: event.TaskRetried, Task: t.Address, Host: t.Host, Stage: t.Stage,
			Attempt: attempt, Message: event.FirstLine(r.errorText(t, err))})
		if err := pause(ctx, t.Retry.Delay); err != nil {
			return out, err
		}
	}
}

// together joins two lists of steps, each step once.
func together(before, now []string) []string {
	for _, step := range now {
		if !slices.Contains(before, step) {
			before = append(before, step)
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
func (r *runner) timed(ctx context.Context, t *plan.Task) (outcome, error) {
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
	g := &gauge{limit: limit, report: r.reporter(t)}
	limited, within := pace.Within(ctx, limit, g)
	defer within.End()
	out, err := r.attempt(limited, t, g)
	if err != nil && pace.Passed(limited) && ctx.Err() == nil {
		return out, fmt.Errorf("timed out after %s%s: %w", within, advice, err)
	}
	return out, err
}

// attempt is the core of kinit: decode, plan, do, look again.
func (r *runner) attempt(ctx context.Context, t *plan.Task, g *gauge) (out outcome, err error) {
	if first := r.waitsFor(t); first != "" {
		return outcome{changed: true, pending: true, blind: true, steps: []string{"known after " + first}}, nil
	}

	// Decode: what earlier tasks returned is known now.
	task, hidden, diags := t.Decode(r.values)
	around, more := t.Surroundings(r.values)
	hidden.All = hidden.All || around.Sensitive
	r.hide(t, hidden)
	if diags = append(diags, more...); diags.HasErrors() {
		return outcome{}, diags
	}
	r.emitArguments(t, task)
	if out, ok := r.cached(t, task); ok {
		return r.applyConditions(ctx, t, out, nil)
	}
	machine, err := r.connect(ctx, t)
	if err == nil {
		err = t.On(machine.OS())
	}
	if err != nil {
		return outcome{}, err
	}
	g.machine.Store(machine)
	h := host.Within(machine.Bind(r.owner(t), r.reporter(t)), around.Env, around.Dir)
	if judged, ok := task.(module.Judged); ok && t.FailedWhen() != nil {
		judged.Judge()
	}
	// The playbook's conditions decide on how everything below ends.
	defer func() {
		if host.Lost(ctx, h, err) {
			err = fmt.Errorf("%s: %w: the connection was lost while the task spoke with a server there, so it is unknown how far it came: %w",
				t.Host, transport.ErrUnreachable, r.cause(t, err))
		}
		machine.Fenced(err)
		out, err = r.applyConditions(ctx, t, out, err)
	}()

	// Plan: a check ends here if there is something to do.
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return outcome{}, err
	}
	changes := module.Changes(steps)
	if r.opts.Check && len(steps) > 0 {
		return outcome{steps: r.texts(t, steps), changed: changes, pending: true, message: r.message(t, task)}, nil
	}
	if err := r.expected(t, steps); err != nil {
		return outcome{}, err
	}

	// Do: what is done counts, even if a later step fails.
	for _, step := range steps {
		text := r.stepText(t, step)
		r.emit(event.Event{Kind: event.StepStarted, Task: t.Address, Host: t.Host, Stage: t.Stage, Steps: []string{text}})
		if err := host.Check(ctx, h); err != nil {
			return out, err
		}
		if err := step.Do(ctx, h); err != nil {
			return out, err
		}
		out.steps, out.changed = append(out.steps, text), changes
	}

	// Look again: nothing may be left to do, and the values are read.
	if changes {
		if err := verify(ctx, h, task); err != nil {
			return out, err
		}
	}
	out.message = r.message(t, task)
	return out, r.keepOutputs(ctx, h, t, task)
}

// connect connects to a task's host, as the user that the task wants. A host that does not
// answer does not delay others.
func (r *runner) connect(ctx context.Context, t *plan.Task) (machine *host.Machine, err error) {
	as := (*host.Become)(t.Become)
	defer func() {
		if err == nil {
			r.door(t.Host).reached()
		}
	}()
	if machine := r.pool.Connected(t.Host, as); machine != nil {
		return machine, nil
	}
	connect := func() (*host.Machine, error) { return r.pool.As(ctx, t.Host, as) }
	if r.first != nil {
		connect = r.sharing(t, connect)
	}
	graph.Aside(ctx, func() { machine, err = connect() })
	return machine, err
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
	texts := make([]string, len(left))
	for i, step := range left {
		texts[i] = event.FirstLine(step.String())
	}
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
	values = t.Outputs(values, r.hidden(t))
	if t.Sensitive {
		r.mask(values)
	}
	r.values.Set(t.Address, values)
	r.emitOutputs(t, values)
	r.remember(t, task, values)
	return nil
}

// message returns a task's message for people.
func (r *runner) message(t *plan.Task, task module.Task) string {
	m, ok := task.(module.Messenger)
	if !ok || t.Sensitive {
		return ""
	}
	if r.hidden(t).All {
		return sensitive.Shown
	}
	return r.redact(m.Tells())
}

func (r *runner) texts(t *plan.Task, steps []module.Step) []string {
	texts := make([]string, len(steps))
	for i, step := range steps {
		texts[i] = r.stepText(t, step)
	}
	return texts
}

// pause waits, or returns early with ctx's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
