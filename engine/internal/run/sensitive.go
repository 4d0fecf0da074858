package run

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// hidden stands for what a sensitive task says.
const hidden = "(sensitive)"

// stepText is a step as it may be shown.
func (r *runner) stepText(t *plan.Task, step module.Step) string {
	if t.Sensitive {
		return hidden
	}
	return r.redact(step.String())
}

// errorText is an error as it may be shown. Of a sensitive task's only the exit
// code is, and that its host cannot be used.
func (r *runner) errorText(t *plan.Task, err error) string {
	if !t.Sensitive || isConnection(err) {
		return r.redact(err.Error())
	}
	var exit *module.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("command ended with code %d; the task is sensitive, so nothing else is shown", exit.Code)
	}
	return "the task is sensitive, so its error is not shown"
}

// hide makes the redactor know every text that a sensitive task returned.
func (r *runner) hide(values map[string]cty.Value) {
	for _, value := range values {
		_ = cty.Walk(value, func(_ cty.Path, v cty.Value) (bool, error) {
			if v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
				r.opts.Redactor.Add(v.AsString())
			}
			return true, nil
		})
	}
}
