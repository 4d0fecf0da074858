package decode

import (
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Form finds the mistakes in the arguments of a task that no value can excuse: unknown and
// missing arguments and blocks, and values that are written out and have another type. It is for
// tasks that are not done, whose other values may be wrong because of that.
func Form(body *hclsyntax.Body, meta func() []string, made module.Task, header hcl.Range) diag.List {
	d := New(nil, NewShared(func(hcl.Expression) bool { return true }))
	d.task, d.meta = body, meta
	d.form(body, reflect.ValueOf(made).Elem(), header)
	return append(d.Diags, d.Alone...)
}

// form checks a body by the fields of a struct.
func (d *Decoder) form(body *hclsyntax.Body, target reflect.Value, header hcl.Range) {
	all := module.Arguments(target.Type())
	d.reportUnexpected(body, all)
	names := lists.Map(all, func(f module.Argument) string { return f.Name })
	for _, f := range all {
		into := target.FieldByIndex(f.Field.Index)
		switch f.Kind {
		case "", "optional":
			if attr := body.Attributes[f.Name]; attr == nil || written(attr.Expr) {
				d.argument(body, f, names, into, nil, header)
			}
		case "block":
			found := named(body, f.Name)
			if len(found) == 0 && into.Kind() != reflect.Slice && into.Kind() != reflect.Pointer && len(body.Blocks) == 0 {
				d.Errorf(header, "Missing block", "A %s block is required.", f.Name)
			}
			for _, inner := range found {
				d.form(inner, reflect.New(elementType(f.Field.Type)).Elem(), inner.SrcRange)
			}
		}
	}
}

// written reports whether an expression has the same value anywhere, without names and functions, and
// is not null.
func written(expr hclsyntax.Expression) bool {
	value, problems := expr.Value(nil)
	return len(expr.Variables()) == 0 && !problems.HasErrors() && !value.IsNull()
}
