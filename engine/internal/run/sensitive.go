package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/plan"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// hide records what a task must not show, after its arguments are decoded.
func (r *runner) hide(t *plan.Task, s decode.Sensitivity) { r.veils.Store(t.Address, s) }

// hidden returns what a task must not show, as far as that is known.
func (r *runner) hidden(t *plan.Task) decode.Sensitivity {
	if s, ok := r.veils.Load(t.Address); ok {
		return s.(decode.Sensitivity)
	}
	return decode.Sensitivity{All: t.Sensitive}
}

// stepText returns a step for display.
func (r *runner) stepText(t *plan.Task, step module.Step) string {
	if r.hidden(t).All {
		return sensitive.Shown
	}
	return r.redact(step.String())
}

// errorText returns an error for display. For a sensitive task it contains only the exit
// code, or that its host cannot be used.
func (r *runner) errorText(t *plan.Task, err error) string {
	if !r.hidden(t).All || isConnection(err) {
		return r.redact(err.Error())
	}
	why := "a sensitive value is among its arguments"
	if t.Sensitive {
		why = "the task is sensitive"
	}
	var exit *module.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("command ended with code %d; %s, so nothing else is shown", exit.Code, why)
	}
	return why + ", so its error is not shown"
}

// mask adds every text that a sensitive task returned to the redactor.
func (r *runner) mask(values map[string]cty.Value) {
	for _, value := range values {
		r.opts.Redactor.Add(sensitive.Texts(value)...)
	}
}

// anySensitive reports whether one of the values is sensitive.
func anySensitive(values map[string]cty.Value) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(values)), sensitive.Is)
}
