// Package bounds prevents expressions from filling the memory or taking minutes: values
// that are too large for any playbook are an error with a place, before they are made.
package bounds

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// The limits of values. The largest clusters are far below them; larger values would fill
// the memory or take minutes, and are mistakes.
const (
	mostElements = 1_000_000 // of one value, including inner ones
	MostBytes    = 16 << 20  // of all texts of one value
	mostMade     = MostBytes // of all texts that loops make for one value
	mostRounds   = 1_000_000 // of nested for expressions
	mostWidth    = 64 << 10  // of a verb of format
	mostDigits   = 16 << 10  // of a number, in binary, before or after the point
	mostDepth    = 1000      // of nested values in JSON or YAML
	mostPattern  = 64 << 10  // of a regular expression, in bytes
	mostSteps    = 1 << 30   // of a search: bytes of the text times those of the expression
)

// Value returns the value of an expression, or an error if the value is too large.
func Value(expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if problems := Rounds(expr, ctx); problems.HasErrors() {
		return cty.DynamicVal, problems
	}
	value, problems := expr.Value(counted(ctx))
	if err := Size(value); err != nil && !problems.HasErrors() {
		problems = append(problems, refusal(err, expr.Range()))
	}
	return value, problems
}

func refusal(err error, at hcl.Range) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Value too large", Detail: "This cannot be meant: " + err.Error() + ".", Subject: &at}
}
