package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// outcome is what one attempt at a task came to.
type outcome struct {
	steps   []string // what changed, or would
	pending bool     // it would change something, so its values are not known
	blind   bool     // what it would do cannot be known before others have run
}

// status is how a task without an error ended.
func (o outcome) status() event.Status {
	if len(o.steps) == 0 {
		return event.OK
	}
	return event.Changed
}

// runTask brings one task about, trying again as its block says.
func (r *runner) runTask(ctx context.Context, t *plan.Task) (outcome, error) {
	for attempt := 1; ; attempt++ {
		out, err := r.timed(ctx, t)
		if err == nil || attempt >= t.Retry.Attempts || ctx.Err() != nil || r.opts.Check {
			return out, err
		}
		r.emit(event.Event{Kind: event.TaskRetried, Task: t.Address, Host: t.Host, Stage: t.Stage,
			Attempt: attempt, Message: firstLine(r.redact(err.Error()))})
		if err := pause(ctx, t.Retry.Delay); err != nil {
			return out, err
		}
	}
}

// timed is one attempt within the task's timeout.
func (r *runner) timed(ctx context.Context, t *plan.Task) (outcome, error) {
	if t.Timeout <= 0 {
		return r.attempt(ctx, t)
	}
	limited, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	out, err := r.attempt(limited, t)
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return out, fmt.Errorf("timed out after %s: %w", t.Timeout, err)
	}
	return out, err
}

// attempt is the heart of kinit: decode, plan, do, look again.
func (r *runner) attempt(ctx context.Context, t *plan.Task) (outcome, error) {
	if first := r.waitsFor(t); first != "" {
		return outcome{pending: true, blind: true, steps: []string{"known after " + first}}, nil
	}
	task, diags := t.Decode(r.values)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	r.tellArguments(t, task)
	machine, err := r.pool.Get(ctx, t.Host)
	if err != nil {
		return outcome{}, err
	}
	h := machine.Bind(r.owner(t), r.reporter(t))
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return outcome{}, err
	}
	if r.opts.Check && len(steps) > 0 {
		return outcome{steps: r.texts(steps), pending: true}, nil
	}
	done, err := r.do(ctx, h, t, steps)
	if err != nil {
		return outcome{steps: done}, err
	}
	if len(steps) > 0 {
		if err := verify(ctx, h, task); err != nil {
			return outcome{steps: done}, err
		}
	}
	return outcome{steps: done}, r.keepOutputs(ctx, h, t, task)
}

// do makes the changes in order and returns the ones made.
func (r *runner) do(ctx context.Context, h module.Host, t *plan.Task, steps []module.Step) ([]string, error) {
	var done []string
	for _, step := range steps {
		text := r.redact(step.String())
		r.emit(event.Event{Kind: event.StepStarted, Task: t.Address, Host: t.Host, Stage: t.Stage, Steps: []string{text}})
		if err := step.Do(ctx, h); err != nil {
			return done, err
		}
		done = append(done, text)
	}
	return done, nil
}

// verify plans once more: what is still to do after everything was done has not
// worked.
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
		texts[i] = firstLine(step.String())
	}
	return fmt.Errorf("the change did not hold; still to do: %s", strings.Join(texts, "; "))
}

// keepOutputs reads the task's values for the tasks that refer to it.
func (r *runner) keepOutputs(ctx context.Context, h module.Host, t *plan.Task, task module.Task) error {
	outputter, ok := task.(module.Outputter)
	if !ok {
		r.values.Set(t.Address, nil)
		return nil
	}
	values, err := outputter.Outputs(ctx, h)
	if err != nil {
		return fmt.Errorf("read the outputs: %w", err)
	}
	r.values.Set(t.Address, values)
	r.tellOutputs(t, values)
	return nil
}

func (r *runner) texts(steps []module.Step) []string {
	texts := make([]string, len(steps))
	for i, step := range steps {
		texts[i] = r.redact(step.String())
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

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
