package expand

import (
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
)

// Early evaluates expressions that must be known before the run, and collects errors.
type Early struct{ diag.Collector }

// Value evaluates an expression that must be known before the run, since it determines
// tasks, hosts or edges. It returns false without a usable value, such as for an expression that
// is nil.
func (e *Early) Value(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	if expr == nil {
		return cty.NilVal, false
	}
	for _, t := range expr.Variables() {
		if in.NeedsTask(t) {
			values := "the values of tasks"
			if t.RootName() == "secret" {
				values = "a secret that a task makes"
			}
			e.Errorf(t.SourceRange(), "Not known before the run", "%s must be known before any task runs, so it cannot refer to %s.%s", what, values, eval.WayOut(what))
			return cty.NilVal, false
		}
	}
	ctx, diags := in.Known(expr, ctx)
	if diags.HasErrors() {
		e.Tell(diags)
		return cty.NilVal, false
	}
	value, problems := bounds.Value(expr, ctx)
	if problems.HasErrors() {
		e.Tell(diag.FromHCL(problems))
		return cty.NilVal, false
	}
	if !value.IsWhollyKnown() {
		e.Errorf(expr.Range(), "Not known before the run", "%s must be known before any task runs.%s", what, eval.WayOut(what))
		return cty.NilVal, false
	}
	return value, true
}

// Open is Value for a value that is shown during the run, so that it must not be sensitive.
// Numbers and booleans reveal no secret.
func (e *Early) Open(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	value, ok := e.Value(in, what, expr, ctx)
	if !ok {
		return cty.NilVal, false
	}
	plain, is := sensitive.Plain(value)
	if is && plain.Type() != cty.Bool && plain.Type() != cty.Number {
		e.Errorf(expr.Range(), "Sensitive value", "%s cannot have a sensitive value, since it is shown wherever the run is. %s", what, eval.SensitiveAdvice)
		return cty.NilVal, false
	}
	return plain, true
}

// As is Open, converted to a type. Null means that the argument is not set: it returns false then.
func (e *Early) As(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) (cty.Value, bool) {
	value, ok := e.Open(in, what, expr, ctx)
	if !ok {
		return cty.NilVal, false
	}
	if value.IsNull() {
		return cty.NilVal, false
	}
	converted, err := eval.Convert(value, kind)
	if err != nil {
		advice := ""
		if kind == cty.Bool && value.Type() == cty.String {
			advice = " A condition is written without quotes, as in: " + what + " = var.port == 80"
		}
		e.Errorf(expr.Range(), "Wrong type", "%s cannot have this value: %s.%s", what, decode.ErrorText(err), advice)
		return cty.NilVal, false
	}
	return converted, true
}

// Must is As for an argument that must not be null. advice says what to give in its place.
func (e *Early) Must(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type, advice string) (cty.Value, bool) {
	before := len(e.Diags)
	value, ok := e.As(in, what, expr, ctx, kind)
	if !ok && expr != nil && len(e.Diags) == before {
		e.Errorf(expr.Range(), "Missing value", "%s is null. %s", what, advice)
	}
	return value, ok
}

// Text is As for a text.
func (e *Early) Text(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext) (string, bool) {
	value, ok := e.As(in, what, expr, ctx, cty.String)
	if !ok {
		return "", false
	}
	return value.AsString(), true
}

// Duration evaluates a text such as "10m", which must be at least least. It returns false without
// a usable one.
func (e *Early) Duration(in *Namespace, what string, expr hcl.Expression, ctx *hcl.EvalContext, least time.Duration) (time.Duration, bool) {
	text, ok := e.Text(in, what, expr, ctx)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		e.Errorf(expr.Range(), "Invalid duration", "%s is a duration such as \"10m\" or \"2s\", not %q.", what, text)
		return 0, false
	}
	return d, true
}

// elements evaluates a for_each.
func (e *Early) elements(in *Namespace, expr hcl.Expression, ctx *hcl.EvalContext) []eval.Element {
	value, ok := e.Value(in, "for_each", expr, ctx)
	if !ok {
		return nil
	}
	all, diags := eval.Elements(value, expr.Range())
	e.Tell(diags)
	return all
}
