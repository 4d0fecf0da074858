package eval

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/secret"
)

// declared is a variable with its type evaluated.
type declared struct {
	*spec.Variable
	kind     cty.Type
	defaults *typeexpr.Defaults // of optional attributes
}

func declare(v *spec.Variable) (*declared, diag.List) {
	d := &declared{Variable: v, kind: cty.DynamicPseudoType}
	if v.Type == nil {
		return d, nil
	}
	kind, defaults, problems := typeexpr.TypeConstraintWithDefaults(v.Type)
	if problems.HasErrors() {
		return d, diag.FromHCL(problems)
	}
	d.kind, d.defaults = kind, defaults
	return d, nil
}

// typed converts a value to the variable's type. One that is not of it is masked if the variable is
// sensitive: the line that it is on is shown.
func (d *declared) typed(value cty.Value, where string, at *hcl.Range, by *secret.Redactor) (cty.Value, diag.List) {
	if d.defaults != nil && !value.IsNull() {
		value = d.defaults.Apply(value)
	}
	converted, err := convert.Convert(value, d.kind)
	if err != nil {
		if d.Sensitive {
			masked(value, by)
			by.Add(mapKeys(value, d.kind)...)
		}
		return cty.DynamicVal, diag.Errorf(cmp.Or(at, &d.Range), "Invalid value", "The value of variable %q from %s is not of its type %s: %s.",
			d.Name, where, typeexpr.TypeString(d.kind), describe(err))
	}
	return converted, nil
}

// mapKeys lists the keys in a value where a type has a map, as far as the value has the type's form.
func mapKeys(value cty.Value, kind cty.Type) []string {
	value, _ = value.Unmark()
	if value.IsNull() || !value.IsKnown() || !value.CanIterateElements() {
		return nil
	}
	var all []string
	for key, inner := range value.Elements() {
		key, _ = key.Unmark()
		named := key.Type() == cty.String && key.IsKnown()
		switch {
		case kind.IsMapType() && named:
			all = append(append(all, key.AsString()), mapKeys(inner, kind.ElementType())...)
		case kind.IsObjectType() && named && kind.HasAttribute(key.AsString()):
			all = append(all, mapKeys(inner, kind.AttributeType(key.AsString()))...)
		case (kind.IsListType() || kind.IsSetType()) && !value.Type().IsObjectType():
			all = append(all, mapKeys(inner, kind.ElementType())...)
		}
	}
	return all
}

// describe formats an error with its path inside a value.
func describe(err error) string {
	at, ok := err.(cty.PathError)
	if !ok || len(at.Path) == 0 {
		return err.Error()
	}
	return fmt.Sprintf("at %s, %s", pathText(at.Path), err.Error())
}

// Waiting is a variable of an import that needs values of tasks, so that it is known only
// during a run.
type Waiting struct {
	Expr hcl.Expression // the importer's

	variable *declared
	redactor *secret.Redactor
}

// Value returns the variable's value for a value of its expression: converted to its type,
// and masked if it is sensitive.
func (w *Waiting) Value(value cty.Value) (cty.Value, diag.List) {
	at := w.Expr.Range()
	value, diags := w.variable.typed(value, "the import", &at, w.redactor)
	if w.variable.Sensitive {
		diags = append(diags, tooShort("var."+w.variable.Name, at, value)...)
		value = masked(value, w.redactor)
	}
	return value, diags
}
