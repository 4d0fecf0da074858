package run

import (
	"sync"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// reporter emits the events of a run, and hides from them what tasks must not show.
type reporter struct {
	events   event.Sink
	redactor *secret.Redactor
	veils    sync.Map // decode.Sensitivity by address, of tasks with decoded arguments
	reported sync.Map // addresses of the tasks whose arguments were reported
}

func (r *reporter) emit(e event.Event) {
	e.Time = time.Now()
	r.events.Emit(e)
}

func (r *reporter) emitOf(t *plan.Task, e event.Event) {
	e.Task, e.Host, e.Stage = t.Address, t.Host, t.Stage
	r.emit(e)
}

func (r *reporter) progress(t *plan.Task) func(event.Progress) {
	return func(p event.Progress) {
		p.Text = r.redactor.RedactLine(p.Text)
		if r.hidden(t).All {
			p.Text = sensitive.Shown
		}
		r.emitOf(t, event.Event{Kind: event.TaskProgress, Progress: &p})
	}
}

func (r *reporter) redact(text string) string { return r.redactor.Redact(text) }

// hide records what a task must not show, after its arguments are decoded.
func (r *reporter) hide(t *plan.Task, s decode.Sensitivity) { r.veils.Store(t.Address, s) }

// hidden returns what a task must not show, as far as that is known.
func (r *reporter) hidden(t *plan.Task) decode.Sensitivity {
	if s, ok := r.veils.Load(t.Address); ok {
		return s.(decode.Sensitivity)
	}
	return decode.Sensitivity{All: t.Sensitive}
}

func (r *reporter) step(t *plan.Task, step module.Step) string {
	if r.hidden(t).All {
		return sensitive.Shown
	}
	return r.redact(step.String())
}

func (r *reporter) steps(t *plan.Task, steps []module.Step) []string {
	return lists.Map(steps, func(step module.Step) string { return r.step(t, step) })
}

func (r *reporter) message(t *plan.Task, task module.Task) string {
	m, ok := task.(module.Messenger)
	if !ok || t.Sensitive {
		return ""
	}
	if r.hidden(t).All {
		return sensitive.Shown
	}
	return r.redact(m.MessageText())
}
