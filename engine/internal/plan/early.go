package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
)

// early evaluates an expression that must be known before the run, since it says
// which tasks, hosts or edges there are. It returns false when there is no usable value.
func (b *builder) early(what string, expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	for _, t := range expr.Variables() {
		if b.blocks.needsTask(t) {
			at := t.SourceRange()
			values := "the values of tasks"
			if t.RootName() == "secret" {
				values = "a secret that a task makes"
			}
			b.errorf(at, "Not known before the run", "%s must be known before any task runs, so it cannot refer to %s.", what, values)
			return cty.NilVal, false
		}
	}
	value, problems := expr.Value(ctx)
	if problems.HasErrors() {
		b.diags = append(b.diags, diag.FromHCL(problems)...)
		return cty.NilVal, false
	}
	if !value.IsWhollyKnown() {
		b.errorf(expr.Range(), "Not known before the run", "%s must be known before any task runs.", what)
		return cty.NilVal, false
	}
	return value, true
}

// needsTask tells whether a traversal means a task, or a secret that one makes.
func (b *blocks) needsTask(t hcl.Traversal) bool {
	if t.RootName() != "secret" || len(t) < 2 {
		return t.RootName() == "task"
	}
	name, _ := stepKey(t[1])
	return b.made[name]
}

// isLate tells whether an expression needs the values of tasks.
func (b *blocks) isLate(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), b.needsTask)
}

// earlyAs evaluates an expression and converts it to a type. Null is no value.
func (b *builder) earlyAs(what string, expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) (cty.Value, bool) {
	value, ok := b.early(what, expr, ctx)
	if !ok {
		return cty.NilVal, false
	}
	converted, err := convert.Convert(value, kind)
	if err == nil && converted.IsNull() {
		err = fmt.Errorf("it is null")
	}
	if err != nil {
		b.errorf(expr.Range(), "Wrong type", "%s cannot have this value: %s.", what, errorText(err))
		return cty.NilVal, false
	}
	return converted, true
}

func (b *builder) earlyText(what string, expr hcl.Expression, ctx *hcl.EvalContext) (string, bool) {
	value, ok := b.earlyAs(what, expr, ctx, cty.String)
	if !ok {
		return "", false
	}
	return value.AsString(), true
}

// duration evaluates a text such as "10m", at least least.
func (b *builder) duration(what string, expr hcl.Expression, ctx *hcl.EvalContext, least time.Duration) time.Duration {
	text, ok := b.earlyText(what, expr, ctx)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		b.errorf(expr.Range(), "Invalid duration", "%s is a duration such as \"10m\" or \"2s\", not %q.", what, text)
		return 0
	}
	return d
}

// retry evaluates a retry block.
func (b *builder) retry(t *Task, ctx *hcl.EvalContext) Retry {
	r := t.block.spec.Retry
	if r == nil {
		return Retry{Attempts: 1}
	}
	retry := Retry{Attempts: 1, Delay: defaultDelay}
	if r.Attempts != nil {
		if value, ok := b.earlyAs("attempts", r.Attempts, ctx, cty.Number); ok {
			n, accuracy := value.AsBigFloat().Int64()
			if accuracy != 0 || n < 1 {
				b.errorf(r.Attempts.Range(), "Invalid number", "attempts is a whole number of at least 1.")
			}
			retry.Attempts = int(n)
		}
	}
	if r.Delay != nil {
		retry.Delay = b.duration("delay", r.Delay, ctx, 0)
	}
	return retry
}

// element is one element of a for_each.
type element struct {
	key   string
	value cty.Value
}

// elements evaluates a for_each: the attributes of a map or object by name, or the
// texts of a set, list or tuple.
func (b *builder) elements(expr hcl.Expression, ctx *hcl.EvalContext) ([]element, bool) {
	value, ok := b.early("for_each", expr, ctx)
	if !ok {
		return nil, false
	}
	t := value.Type()
	if value.IsNull() || !t.IsObjectType() && !t.IsMapType() && !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		b.errorf(expr.Range(), "Invalid for_each", "Give a map, an object, or a set or list of texts.")
		return nil, false
	}
	named := t.IsObjectType() || t.IsMapType()
	var all []element
	seen := map[string]bool{}
	for it := value.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if !named {
			key = value
		}
		if key.IsNull() || key.Type() != cty.String {
			b.errorf(expr.Range(), "Invalid for_each", "The elements of a set or list must be texts: they become the keys of the instances.")
			return nil, false
		}
		if seen[key.AsString()] {
			b.errorf(expr.Range(), "Invalid for_each", "The key %q is there twice.", key.AsString())
			return nil, false
		}
		seen[key.AsString()] = true
		all = append(all, element{key.AsString(), value})
	}
	return all, true
}
