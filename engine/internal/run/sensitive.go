package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// hide notes what a task must not show, when its arguments are decoded.
func (r *runner) hide(t *plan.Task, s plan.Sensitivity) { r.veils.Store(t.Address, s) }

// hidden is what a task must not show, as far as that is known.
func (r *runner) hidden(t *plan.Task) plan.Sensitivity {
	if s, ok := r.veils.Load(t.Address); ok {
		return s.(plan.Sensitivity)
	}
	return plan.Sensitivity{All: t.Sensitive}
}

// stepText is a step as it may be shown.
func (r *runner) stepText(t *plan.Task, step module.Step) string {
	if r.hidden(t).All {
		return sensitive.Shown
	}
	return r.redact(step.String())
}

// errorText is an error as it may be shown. Of a sensitive task's only the exit
// code is, and that its host cannot be used.
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

// mask makes the redactor know every text that a sensitive task returned.
func (r *runner) mask(values map[string]cty.Value) {
	for _, value := range values {
		r.opts.Redactor.Add(sensitive.Texts(value)...)
	}
}

// anySensitive tells whether one of the values is sensitive.
func anySensitive(values map[string]cty.Value) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(values)), sensitive.Is)
}
