package diag

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// FromHCL translates HCL's own diagnostics. A name that an object does not have is
// told with those it has that are like it.
func FromHCL(in hcl.Diagnostics) List {
	var out List
	for _, d := range in {
		one := Diagnostic{
			Warning: d.Severity == hcl.DiagWarning,
			Summary: d.Summary, Detail: d.Detail,
			Subject: d.Subject, Context: d.Context,
		}
		if e, ok := d.Expression.(*hclsyntax.ScopeTraversalExpr); ok && d.EvalContext != nil {
			one = unknownName(one, e.Traversal, d.EvalContext)
		}
		out = append(out, one)
	}
	return out
}

// unknownName rewrites a diagnostic about a traversal when the reason is a name
// that an object does not have.
func unknownName(d Diagnostic, t hcl.Traversal, ctx *hcl.EvalContext) Diagnostic {
	value, ok := lookup(t.RootName(), ctx)
	path := t.RootName()
	for _, step := range t[1:] {
		attr, isAttr := step.(hcl.TraverseAttr)
		if !ok || !isAttr || !value.Type().IsObjectType() {
			return d
		}
		types := value.Type().AttributeTypes()
		if _, found := types[attr.Name]; !found {
			d.Summary = "Unknown name"
			d.Detail = fmt.Sprintf("There is no %q in %s.%s", attr.Name, path, Near(attr.Name, slices.Collect(maps.Keys(types))))
			return d
		}
		if !value.IsKnown() || value.IsNull() {
			return d
		}
		value, path = value.GetAttr(attr.Name), path+"."+attr.Name
	}
	return d
}

// lookup finds a variable in a scope or the scopes around it.
func lookup(name string, ctx *hcl.EvalContext) (cty.Value, bool) {
	for ; ctx != nil; ctx = ctx.Parent() {
		if value, ok := ctx.Variables[name]; ok {
			return value, true
		}
	}
	return cty.NilVal, false
}
