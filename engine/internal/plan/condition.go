package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
)

// Condition is an expression over what a task returned.
type Condition struct {
	Range hcl.Range

	name   string
	expr   hcl.Expression
	task   *Task
	before bool // it is evaluated before the task, so there is no result
}

// When returns the conditions of when that need the values of other tasks. All must
// be true for the task to be done.
func (t *Task) When() []*Condition {
	var all []*Condition
	for _, expr := range t.block.spec.When {
		if t.block.space.isLate(expr) {
			c := t.condition("when", expr)
			c.before = true
			all = append(all, c)
		}
	}
	return all
}

// Until must be true for the task to have succeeded, ChangedWhen says whether it
// changed something, and FailedWhen whether it failed; they are nil when absent.
func (t *Task) Until() *Condition       { return t.condition("until", t.block.spec.Until) }
func (t *Task) ChangedWhen() *Condition { return t.condition("changed_when", t.block.spec.ChangedWhen) }
func (t *Task) FailedWhen() *Condition  { return t.condition("failed_when", t.block.spec.FailedWhen) }

func (t *Task) condition(name string, expr hcl.Expression) *Condition {
	if expr == nil {
		return nil
	}
	return &Condition{Range: expr.Range(), name: name, expr: expr, task: t}
}

// Met tells whether the condition is true. Without a result, which is nil before
// the task was done, it may be that this is not known.
func (c *Condition) Met(values *Values, result *Result) (met, known bool, diags diag.List) {
	return c.met(c.task.context(values), result)
}

// met is Met in the scope of the task's arguments.
func (c *Condition) met(ctx *hcl.EvalContext, result *Result) (met, known bool, diags diag.List) {
	if !c.before {
		ctx = ctx.NewChild()
		ctx.Variables = map[string]cty.Value{"result": c.task.result(result)}
	}
	value, problems := bounds.Value(c.expr, ctx)
	if problems.HasErrors() {
		return false, false, c.task.own(diag.FromHCL(problems))
	}
	value, _ = sensitive.Plain(value) // what came out tells no secret
	value, err := convert.Convert(value, cty.Bool)
	if err != nil || value.IsNull() {
		at := c.Range
		return false, false, c.task.own(diag.Errorf(&at, "Invalid condition", "%s must be true or false.", c.name))
	}
	if !value.IsKnown() {
		return false, false, nil
	}
	return value.True(), true, nil
}

// result is the task's outputs with whether it changed something and its error,
// null without one. An output of the module's comes before these.
func (t *Task) result(r *Result) cty.Value {
	all := map[string]cty.Value{"changed": cty.UnknownVal(cty.Bool), "error": cty.UnknownVal(cty.String)}
	if r != nil {
		all["changed"], all["error"] = cty.BoolVal(r.Changed), cty.NullVal(cty.String)
		if r.Error != "" {
			all["error"] = cty.StringVal(r.Error)
		}
		if r.Sensitive {
			all["error"] = sensitive.Mark(all["error"])
		}
	}
	for name, kind := range t.block.outputs {
		all[name] = cty.UnknownVal(kind)
		if r != nil {
			all[name] = typed(r.Outputs[name], kind)
		}
	}
	return cty.ObjectVal(all)
}

// checkConditions evaluates all that is evaluated beside the arguments, as far as
// it is known.
func (t *Task) checkConditions(ctx *hcl.EvalContext, shared *shared) diag.List {
	_, diags := t.surroundings(ctx, shared)
	for _, c := range append(t.When(), t.Until(), t.ChangedWhen(), t.FailedWhen()) {
		if c != nil {
			_, _, more := c.met(ctx, nil)
			diags = append(diags, more...)
		}
	}
	return diags
}
