// Package bounds keeps expressions from filling the memory or taking minutes: what no
// playbook can mean is an error with a place, before it is made.
package bounds

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// What no playbook means. The greatest clusters stay far below; what is beyond would fill
// the memory or take minutes, and is a mistake.
const (
	mostElements = 1_000_000 // of one value, those inside included
	MostBytes    = 16 << 20  // of all texts of one value
	mostMade     = MostBytes // of all texts that loops make for one value
	mostRounds   = 1_000_000 // of for expressions within each other
	mostWidth    = 64 << 10  // of a verb of format
	mostDigits   = 16 << 10  // of a number, in binary, before or behind the point
	mostDepth    = 1000      // of what is in each other in JSON or YAML
	mostPattern  = 64 << 10  // of a regular expression, in bytes
	mostSteps    = 1 << 30   // of a search: bytes of the text times those of the expression
)

// Value is the value of an expression, or an error when no such value can be meant.
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
