package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
)

// later is expressions that are evaluated when the tasks are done.
type later struct {
	scope *hcl.EvalContext
	reads references
	space *space
}

// later finds what expressions refer to, and their values as far as they are known
// before the run.
func (b *builder) later(in *space, at hcl.Range, exprs ...hcl.Expression) (l later, values []cty.Value) {
	l = later{scope: in.context(at.Filename), space: in}
	reads, diags := in.find(l.scope, exprs...)
	l.reads = reads
	if !diags.HasErrors() {
		for _, expr := range exprs {
			value, problems := bounds.Value(expr, l.context(nil))
			diags = append(diags, diag.FromHCL(problems)...)
			values = append(values, value)
		}
	}
	b.diags = append(b.diags, diags...)
	return l, values
}

func (l later) context(values *Values) *hcl.EvalContext {
	ctx := l.scope.NewChild()
	ctx.Variables = l.reads.variables(l.space, values)
	return ctx
}

func (l later) needs() []string { return addresses(l.reads.tasks()) }

// Check is a check block.
type Check struct {
	Address string // such as check.answers
	Range   hcl.Range
	Needs   []string // addresses of the tasks whose values it reads

	asserts []spec.Condition
	later   later
}

func (b *builder) addChecks() {
	for _, s := range b.in.Spec.Checks {
		var exprs []hcl.Expression
		for _, a := range s.Asserts {
			exprs = append(exprs, a.Condition, a.ErrorMessage)
		}
		l, _ := b.later(b.spaces[s.In], s.Range, exprs...)
		b.plan.Checks = append(b.plan.Checks, &Check{Address: s.In.Address("check." + s.Name), Range: s.Range, Needs: l.needs(), asserts: s.Asserts, later: l})
	}
}

// Pending returns the tasks in Needs that returned no values; such a check cannot
// be made.
func (c *Check) Pending(values *Values) []string {
	return c.later.space.pending(c.Needs, values, unknown, missing)
}

// Run evaluates the conditions; a false one is an error with the block's message.
func (c *Check) Run(values *Values) diag.List {
	diags := c.later.reads.problems(values)
	for _, a := range c.asserts {
		diags = append(diags, eval.Assert(a, c.later.context(values), "Check failed")...)
	}
	for i := range diags {
		diags[i].Address = c.Address
	}
	return diags
}

// Output is a root output block.
type Output struct {
	Name        string
	Description string
	Sensitive   bool
	Range       hcl.Range
	Needs       []string // addresses of the tasks whose values it reads

	expr  hcl.Expression
	later later
}

func (b *builder) addOutputs() {
	for _, s := range b.in.Spec.Root.Outputs {
		l, values := b.later(b.spaces[b.in.Spec.Root], s.Range, s.Value)
		if !s.Sensitive && slices.ContainsFunc(values, sensitive.Is) {
			b.diags = append(b.diags, openOutput(s.Name, s.Value.Range())...)
		}
		b.plan.Outputs = append(b.plan.Outputs, &Output{
			Name: s.Name, Description: s.Description, Sensitive: s.Sensitive, Range: s.Range,
			Needs: l.needs(), expr: s.Value, later: l,
		})
	}
}

// Pending returns the tasks in Needs that returned no values; such an output has
// no value.
func (o *Output) Pending(values *Values) []string {
	return o.later.space.pending(o.Needs, values, unknown, missing)
}

// Value evaluates the output. One that is sensitive without saying so is an error.
func (o *Output) Value(values *Values) (cty.Value, diag.List) {
	if diags := o.later.reads.problems(values); diags.HasErrors() {
		return cty.NilVal, diags
	}
	value, problems := bounds.Value(o.expr, o.later.context(values))
	value, is := sensitive.Plain(value)
	if is && !o.Sensitive {
		return cty.NilVal, openOutput(o.Name, o.expr.Range())
	}
	return value, diag.FromHCL(problems)
}

// openOutput tells of an output that would show a sensitive value.
func openOutput(name string, at hcl.Range) diag.List {
	return diag.Errorf(&at, "Sensitive output", "The output %q has a sensitive value, so say that it is, by: sensitive = true. It is then hidden where outputs are shown. %s", name, sensitiveAdvice)
}
