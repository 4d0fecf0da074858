package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/spec"
)

// later is expressions that are evaluated when the tasks are done.
type later struct {
	scope  *hcl.EvalContext
	reads  references
	blocks *blocks
}

// later finds what expressions refer to, and checks them with unknown values.
func (b *builder) later(at hcl.Range, exprs ...hcl.Expression) later {
	l := later{scope: b.in.Scope.Context(at.Filename), blocks: b.blocks}
	reads, diags := b.blocks.find(l.scope, exprs...)
	l.reads = reads
	if !diags.HasErrors() {
		for _, expr := range exprs {
			_, problems := expr.Value(l.context(nil))
			diags = append(diags, diag.FromHCL(problems)...)
		}
	}
	b.diags = append(b.diags, diags...)
	return l
}

func (l later) context(values *Values) *hcl.EvalContext {
	ctx := l.scope.NewChild()
	ctx.Variables = l.reads.variables(l.blocks, values)
	return ctx
}

func (l later) needs() []string { return addresses(l.reads.tasks()) }

// Check is a check block.
type Check struct {
	Name  string
	Range hcl.Range
	Needs []string // addresses of the tasks whose values it reads

	asserts []spec.Condition
	later   later
}

func (b *builder) addChecks() {
	for _, s := range b.in.Spec.Checks {
		var exprs []hcl.Expression
		for _, a := range s.Asserts {
			exprs = append(exprs, a.Condition, a.ErrorMessage)
		}
		l := b.later(s.Range, exprs...)
		b.plan.Checks = append(b.plan.Checks, &Check{Name: s.Name, Range: s.Range, Needs: l.needs(), asserts: s.Asserts, later: l})
	}
}

// Pending returns the tasks in Needs that returned no values; such a check cannot
// be made.
func (c *Check) Pending(values *Values) []string {
	return c.later.blocks.pending(c.Needs, values, unknown, missing)
}

// Run evaluates the conditions; a false one is an error with the block's message.
func (c *Check) Run(values *Values) diag.List {
	var diags diag.List
	for _, a := range c.asserts {
		diags = append(diags, eval.Assert(a, c.later.context(values), "Check failed")...)
	}
	for i := range diags {
		diags[i].Address = "check." + c.Name
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
	for _, s := range b.in.Spec.Outputs {
		l := b.later(s.Range, s.Value)
		b.plan.Outputs = append(b.plan.Outputs, &Output{
			Name: s.Name, Description: s.Description, Sensitive: s.Sensitive, Range: s.Range,
			Needs: l.needs(), expr: s.Value, later: l,
		})
	}
}

// Pending returns the tasks in Needs that returned no values; such an output has
// no value.
func (o *Output) Pending(values *Values) []string {
	return o.later.blocks.pending(o.Needs, values, unknown, missing)
}

// Value evaluates the output.
func (o *Output) Value(values *Values) (cty.Value, diag.List) {
	value, problems := o.expr.Value(o.later.context(values))
	return value, diag.FromHCL(problems)
}
