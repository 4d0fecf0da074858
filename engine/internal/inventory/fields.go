package inventory

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/spec"
)

// fields decodes the arguments of one block.
type fields struct {
	*loader
	block *hclsyntax.Block
	ctx   *hcl.EvalContext
	used  []string
}

// expr returns an argument, or nil.
func (f *fields) expr(name string) hcl.Expression {
	f.used = append(f.used, name)
	if attr := f.block.Body.Attributes[name]; attr != nil {
		return attr.Expr
	}
	return nil
}

// decode puts an argument into target, and does not change target if it is absent.
func (f *fields) decode(name string, target any) bool {
	expr := f.expr(name)
	if expr == nil {
		return false
	}
	_, problems := expr.Value(f.ctx)
	if !problems.HasErrors() {
		problems = gohcl.DecodeExpression(expr, f.ctx, target)
	}
	f.Tell(diag.FromHCL(problems))
	return !problems.HasErrors()
}

// names reads an argument that is a list of names, with the place of each.
func (f *fields) names(argument string) []source.Ref {
	var names []string
	if !f.decode(argument, &names) {
		return nil
	}
	expr := f.expr(argument)
	elements, _ := hcl.ExprList(expr)
	refs := make([]source.Ref, len(names))
	for i, name := range names {
		refs[i] = source.Ref{Name: name, At: expr.Range()}
		if len(elements) == len(names) {
			refs[i].At = elements[i].Range()
		}
	}
	return refs
}

// path returns the path of a file, relative to the inventory's folder.
func (f *fields) path(file string) string {
	files := f.src.files()
	return files.Abs(spec.Join(spec.Folder(f.block.TypeRange.Filename), files.Expand(file)))
}

// refuse reports the problem of an argument, if there is one.
func (f *fields) refuse(name, problem string) {
	if problem != "" {
		f.Errorf(f.expr(name).Range(), "Invalid "+name, "%s", problem)
	}
}

// object evaluates an expression that must be an object, and finds the place of
// each value in it.
func (l *loader) object(expr hcl.Expression, ctx *hcl.EvalContext) source.Vars {
	if expr == nil {
		return nil
	}
	value, problems := bounds.Value(expr, ctx)
	l.Tell(diag.FromHCL(problems))
	if problems.HasErrors() || value.IsNull() {
		return nil
	}
	if t := value.Type(); !t.IsObjectType() && !t.IsMapType() {
		l.Errorf(expr.Range(), "Invalid vars", "Give an object, as in: vars = { zone = \"a\" }")
		return nil
	}
	places := map[string]hcl.Range{}
	if object, ok := expr.(*hclsyntax.ObjectConsExpr); ok {
		for _, item := range object.Items {
			if key, problems := item.KeyExpr.Value(ctx); !problems.HasErrors() {
				places[key.AsString()] = item.ValueExpr.Range()
			}
		}
	}
	vars := source.Vars{}
	for name, v := range value.AsValueMap() {
		at, ok := places[name]
		if !ok {
			at = expr.Range()
		}
		vars[name] = source.Value{Value: v, At: at}
	}
	return vars
}

// finish reports unexpected arguments and blocks.
func (f *fields) finish() {
	for _, name := range sortedNames(f.block.Body.Attributes) {
		if !slices.Contains(f.used, name) {
			f.concealMisspelt(name)
			f.Errorf(f.block.Body.Attributes[name].NameRange, "Unknown argument", "%s block has no argument %q.%s", spec.Article(f.block.Type), name, diag.Near(name, f.used))
		}
	}
	for _, b := range f.block.Body.Blocks {
		f.Errorf(b.TypeRange, "Unknown block type", "%s block has no block inside.", spec.Article(f.block.Type))
	}
}

// concealMisspelt notes the value of an argument as a secret if its name was probably meant to be a
// secret's: the line of the mistake is shown.
func (f *fields) concealMisspelt(name string) {
	isMeant := func(known string) bool { return IsSecret(known) && diag.Mistyped(known, f.used, []string{name}) }
	at := f.block.Body.Attributes[name].Expr.Range()
	if file := f.inv.Sources[at.Filename]; file != nil && at.CanSliceBytes(file.Bytes) && slices.ContainsFunc(f.used, isMeant) {
		f.inv.loose = append(f.inv.loose, written(string(at.SliceBytes(file.Bytes)))...)
	}
}

func sortedNames(attrs hclsyntax.Attributes) []string {
	return slices.Sorted(maps.Keys(attrs))
}
