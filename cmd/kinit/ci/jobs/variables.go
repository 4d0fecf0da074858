package jobs

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
)

// variables returns the values of a spec's variables in the form of the command line:
// texts unquoted, everything else as HCL.
func (l *loader) variables(expr hcl.Expression) map[string]string {
	all := map[string]string{}
	if expr == nil {
		return all
	}
	if v, problems := expr.Value(nil); !problems.HasErrors() && v.IsNull() {
		return all
	}
	object, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		l.errorf(expr.Range(), "Invalid variables", `Give an object with values of variables, as in: variables = { version = "1" }`)
		return all
	}
	for _, item := range object.Items {
		name, problems := item.KeyExpr.Value(nil)
		l.diags = append(l.diags, diag.FromHCL(problems)...)
		if problems.HasErrors() {
			continue
		}
		text, problems := asText(item.ValueExpr, l.text)
		l.diags = append(l.diags, diag.FromHCL(problems)...)
		if key, err := convert.Convert(name, cty.String); err == nil && !key.IsNull() {
			all[key.AsString()] = text
		}
	}
	return all
}

func asText(expr hclsyntax.Expression, source []byte) (string, hcl.Diagnostics) {
	v, problems := expr.Value(nil)
	if problems.HasErrors() {
		return "", problems
	}
	if v.Type() == cty.String && !v.IsNull() {
		return v.AsString(), nil
	}
	return string(expr.Range().SliceBytes(source)), nil
}
