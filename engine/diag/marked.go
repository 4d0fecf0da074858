package diag

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// showsValues reports whether the detail of a diagnostic may quote values: it is the
// error of a function, or names a key.
func showsValues(d *hcl.Diagnostic) bool {
	_, isCall := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	_, isUnknown := hcl.DiagnosticExtra[hclsyntax.FunctionCallUnknownDiagExtra](d)
	return isCall && !isUnknown || d.Summary == "Duplicate object key"
}

// readsMarked reports whether a diagnostic's expression reads a marked value, which is
// not to be quoted.
func readsMarked(d *hcl.Diagnostic) bool {
	if d.Expression == nil || d.EvalContext == nil {
		return false
	}
	if value, problems := d.Expression.Value(d.EvalContext); !problems.HasErrors() && value.ContainsMarked() {
		return true
	}
	for _, t := range d.Expression.Variables() {
		value, problems := t.TraverseAbs(d.EvalContext)
		if !problems.HasErrors() && value.ContainsMarked() {
			return true
		}
	}
	return false
}
