package plan

import (
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/sensitive"
)

// Condition is an expression over the result of a task.
type Condition struct {
	Range hcl.Range

	name   string
	expr   hcl.Expression
	task   *Task
	before bool // it is evaluated before the task, without a result
}

// given returns the condition, or nil if it is null whatever the result is.
func (c *Condition) given(values *Values) *Condition {
	if c == nil {
		return nil
	}
	value, problems := bounds.Value(c.expr, c.scope(c.task.context(values), nil))
	if !problems.HasErrors() && value.IsKnown() && value.IsNull() {
		return nil
	}
	return c
}

// scope returns the scope of the condition, with the result if it is evaluated after the task.
func (c *Condition) scope(ctx *hcl.EvalContext, result *Result) *hcl.EvalContext {
	if c.before {
		return ctx
	}
	ctx = ctx.NewChild()
	ctx.Variables = map[string]cty.Value{"result": c.task.result(result)}
	return ctx
}

// When returns the conditions of when that need the values of other tasks. All must
// be true for the task to be done.
func (t *Task) When() []*Condition {
	var all []*Condition
	for _, expr := range t.Block.Spec.When {
		if t.Block.Namespace.IsLate(expr) {
			c := t.condition("when", expr)
			c.before = true
			all = append(all, c)
		}
	}
	return all
}

// Until must be true for the task to have succeeded, ChangedWhen decides whether it changed
// something, and FailedWhen whether it failed; absent ones are nil.
func (t *Task) Until(values *Values) *Condition {
	return t.condition("until", t.Block.Spec.Until).given(values)
}
func (t *Task) ChangedWhen(values *Values) *Condition {
	return t.condition("changed_when", t.Block.Spec.ChangedWhen).given(values)
}
func (t *Task) FailedWhen(values *Values) *Condition {
	return t.condition("failed_when", t.Block.Spec.FailedWhen).given(values)
}

func (t *Task) condition(name string, expr hcl.Expression) *Condition {
	if expr == nil {
		return nil
	}
	return &Condition{Range: expr.Range(), name: name, expr: expr, task: t}
}

// Met reports whether the condition is true. The result is nil before the task is done;
// then the condition may be unknown.
func (c *Condition) Met(values *Values, result *Result) (met, known bool, diags diag.List) {
	return c.met(c.task.context(values), result)
}

// met is Met in the scope of the task's arguments.
func (c *Condition) met(ctx *hcl.EvalContext, result *Result) (met, known bool, diags diag.List) {
	value, problems := bounds.Value(c.expr, c.scope(ctx, result))
	if problems.HasErrors() {
		return false, false, c.task.own(diag.FromHCL(problems))
	}
	value, _ = sensitive.Plain(value) // the outcome of a condition is no secret
	value, err := convert.Convert(value, cty.Bool)
	if err == nil && value.IsKnown() && value.IsNull() && c.before {
		return true, true, nil // when is not set
	}
	if err != nil || value.IsNull() {
		return false, false, c.task.own(diag.Errorf(&c.Range, "Invalid condition", "%s must be true or false.", c.name))
	}
	if !value.IsKnown() {
		return false, false, nil
	}
	return value.True(), true, nil
}

// result returns the task's outputs, whether it changed something, and its error, null
// without one. An output of the module with the same name has priority.
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
	for name, kind := range t.Block.Outputs {
		all[name] = cty.UnknownVal(kind)
		if r != nil {
			all[name] = refs.Typed(r.Outputs[name], kind)
		}
	}
	return cty.ObjectVal(all)
}

// Foretells returns, in a dry run, the values of a task with changes still to come that are known
// already: its arguments, if it will be done.
func (t *Task) Foretells(values *Values) map[string]cty.Value {
	if !t.Block.Steady() {
		return nil
	}
	for _, c := range t.When() {
		if met, known, diags := c.Met(values, nil); !met || !known || diags.HasErrors() {
			return nil
		}
	}
	return t.plan.refs.Foretold(t.Task.Task, values)
}

// Surroundings is where and how a task's commands run.
type Surroundings struct {
	Env map[string]string
	Dir string // an absolute path; empty for the login's home folder

	Sensitive bool // of the folder, which messages may contain
}

// Surroundings evaluates environment and cwd with the values of other tasks.
func (t *Task) Surroundings(values *Values) (Surroundings, diag.List) {
	return t.surroundings(t.context(values), decode.NewShared(t.Block.Namespace.Differs))
}

func (t *Task) surroundings(ctx *hcl.EvalContext, shared *decode.Shared) (Surroundings, diag.List) {
	var s Surroundings
	d := decode.New(ctx, shared)
	for _, expr := range t.Block.Spec.Environment {
		var env map[string]string
		d.Value(expr, "environment", true, &env)
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if !variableName.MatchString(name) {
				d.Errorf(expr.Range(), "Invalid environment", "%q is no name of an environment variable: it has letters, digits and _ only.", name)
			}
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		maps.Copy(s.Env, env)
	}
	if expr := t.Block.Spec.Cwd; expr != nil {
		d.Value(expr, "cwd", true, &s.Dir)
		s.Sensitive = d.LastSensitive()
		if s.Dir != "" && !path.IsAbs(s.Dir) && !s.Sensitive {
			d.Errorf(expr.Range(), "Invalid cwd", "The working directory %q must be an absolute path.", s.Dir)
		}
	}
	return s, t.own(d.Diags)
}

// variableName matches the names of variables in sh, POSIX.1-2017 3.235.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Result is the value of result in conditions.
type Result struct {
	Outputs map[string]cty.Value // nil if the task returned none
	Changed bool
	Error   string // empty without an error

	Sensitive bool // of the error
}

// checkConditions evaluates the expressions besides the arguments, as far as they are
// known.
func (t *Task) checkConditions(ctx *hcl.EvalContext, shared *decode.Shared) diag.List {
	_, diags := t.surroundings(ctx, shared)
	for _, c := range append(t.When(), t.Until(nil), t.ChangedWhen(nil), t.FailedWhen(nil)) {
		if c != nil {
			_, _, more := c.met(ctx, nil)
			diags = append(diags, more...)
		}
	}
	return diags
}
