package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
)

// after is what is evaluated after the tasks.
type after struct {
	Needs []string // addresses of the tasks whose values it reads

	later refs.Later
	refs  *refs.Refs
}

// Pending returns the tasks in Needs that returned no values; with such tasks nothing can be
// evaluated.
func (a *after) Pending(values *refs.Values) []string {
	return a.refs.Unanswered(a.Needs, a.later.Args, values, refs.Unknown, refs.Missing)
}

// Check is a check block.
type Check struct {
	after
	Address string // such as check.answers
	Range   hcl.Range

	when    []premise // of the import that it is in: it counts if all hold
	asserts []spec.Condition
}

// Run evaluates the conditions; a false one is an error with the block's message.
func (c *Check) Run(values *refs.Values) diag.List {
	diags := c.refs.Problems(c.later.Args, values)
	for _, p := range c.when {
		if !slices.ContainsFunc(p.later, func(l refs.Later) bool { return c.holds(p.expr, l, values) }) {
			return nil
		}
	}
	for _, a := range c.asserts {
		diags = append(diags, eval.Assert(a, c.refs.LaterContext(c.later, values), "Check failed")...)
	}
	for i := range diags {
		diags[i].Address = c.Address
	}
	return diags
}

// premise is a condition without which a check does not count. With a value for each host, it
// holds if it is true on one of them.
type premise struct {
	expr  hcl.Expression
	later []refs.Later
}

// holds reports whether an expression is true. It is not where values that it needs are
// missing.
func (c *Check) holds(expr hcl.Expression, l refs.Later, values *refs.Values) bool {
	value, problems := bounds.Value(expr, c.refs.LaterContext(l, values))
	value, _ = sensitive.Plain(value)
	return !problems.HasErrors() && value.RawEquals(cty.True)
}

// Output is a root output block.
type Output struct {
	after
	Name        string
	Description string
	Sensitive   bool
	Range       hcl.Range

	expr hcl.Expression
}

// Output returns the output with a name, or nil.
func (p *Plan) Output(name string) *Output {
	i := slices.IndexFunc(p.Outputs, func(o *Output) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return p.Outputs[i]
}

// Value evaluates the output. A sensitive value is an error unless the output is declared
// sensitive.
func (o *Output) Value(values *refs.Values) (cty.Value, diag.List) {
	if diags := o.refs.Problems(o.later.Args, values); diags.HasErrors() {
		return cty.NilVal, diags
	}
	value, problems := bounds.Value(o.expr, o.refs.LaterContext(o.later, values))
	value, is := sensitive.Plain(value)
	if is && !o.Sensitive {
		return cty.NilVal, openOutput(o.Name, o.expr.Range())
	}
	return value, diag.FromHCL(problems)
}

func openOutput(name string, at hcl.Range) diag.List {
	return diag.Errorf(&at, "Sensitive output", "The output %q has a sensitive value, so say that it is, by: sensitive = true. It is then hidden where outputs are shown. %s", name, eval.SensitiveAdvice)
}
