package decode

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/module"
	"kinit/engine/secret"
)

// SecretLiterals finds the texts in a task's arguments that are secrets by the type of
// the argument, in the order of the file.
func SecretLiterals(args *hclsyntax.Body, made module.Task) []hcl.Range {
	found := &literals{}
	mark(found, args, reflect.TypeOf(made).Elem())
	slices.SortFunc(found.found, func(x, y hcl.Range) int { return cmp.Compare(x.Start.Byte, y.Start.Byte) })
	return found.found
}

// mark adds the literals of a body's secret arguments.
func mark(found *literals, body *hclsyntax.Body, t reflect.Type) {
	for _, f := range module.Arguments(t) {
		kind := f.Field.Type
		if f.Kind == "block" {
			for _, inner := range named(body, f.Name) {
				mark(found, inner, elementType(kind))
			}
			continue
		}
		if attr := body.Attributes[f.Name]; attr != nil && elementType(kind) == reflect.TypeFor[secret.Value]() {
			_ = hclsyntax.Walk(attr.Expr, found)
		}
	}
}

// named lists the bodies of the blocks of a type, of dynamic ones the content.
func named(body *hclsyntax.Body, name string) []*hclsyntax.Body {
	var all []*hclsyntax.Body
	for _, inner := range body.Blocks {
		switch {
		case inner.Type == name:
			all = append(all, inner.Body)
		case inner.Type == dynamic && len(inner.Labels) == 1 && inner.Labels[0] == name:
			if content, _ := parts(inner); content != nil {
				all = append(all, content)
			}
		}
	}
	return all
}

// literals finds literal texts in an expression.
type literals struct{ found []hcl.Range }

// Enter implements hclsyntax.Walker.
func (l *literals) Enter(node hclsyntax.Node) hcl.Diagnostics {
	if literal, ok := node.(*hclsyntax.LiteralValueExpr); ok && !literal.Val.IsNull() {
		l.found = append(l.found, literal.SrcRange)
	}
	return nil
}

// Exit implements hclsyntax.Walker.
func (l *literals) Exit(hclsyntax.Node) hcl.Diagnostics { return nil }
