package decode

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// SecretLiterals finds the texts in a task's arguments that are secrets by the type of
// the argument, in the order of the file.
func SecretLiterals(args *hclsyntax.Body, made module.Task) []hcl.Range {
	found := secretLiterals(args, reflect.TypeOf(made).Elem())
	slices.SortFunc(found, func(x, y hcl.Range) int { return cmp.Compare(x.Start.Byte, y.Start.Byte) })
	return found
}

// secretLiterals finds them in a body, in the order of the arguments.
func secretLiterals(body *hclsyntax.Body, t reflect.Type) (found []hcl.Range) {
	for _, f := range module.Arguments(t) {
		kind := elementType(f.Field.Type)
		if f.Kind == "block" {
			for _, inner := range named(body, f.Name) {
				found = append(found, secretLiterals(inner, kind)...)
			}
			continue
		}
		attr := body.Attributes[f.Name]
		if attr == nil || kind != reflect.TypeFor[secret.Value]() {
			continue
		}
		_ = hclsyntax.VisitAll(attr.Expr, func(node hclsyntax.Node) hcl.Diagnostics {
			if literal, ok := node.(*hclsyntax.LiteralValueExpr); ok && !literal.Val.IsNull() {
				found = append(found, literal.SrcRange)
			}
			return nil
		})
	}
	return found
}

// SecretTexts lists the texts that are written out in a task's arguments which are secrets: by the type
// of the argument, or, if there is no such argument, by its name or the name that was probably meant.
func SecretTexts(args *hclsyntax.Body, made module.Task, isSecret func(name string) bool) []string {
	return secretTexts(args, reflect.TypeOf(made).Elem(), isSecret)
}

func secretTexts(body *hclsyntax.Body, t reflect.Type, isSecret func(name string) bool) (found []string) {
	var names, secrets []string
	for _, f := range module.Arguments(t) {
		kind := elementType(f.Field.Type)
		if f.Kind == "block" {
			for _, inner := range named(body, f.Name) {
				found = append(found, secretTexts(inner, kind, isSecret)...)
			}
			continue
		}
		names = append(names, f.Name)
		if kind == reflect.TypeFor[secret.Value]() {
			secrets = append(secrets, f.Name)
		}
	}
	for name, attr := range body.Attributes {
		meant := func(known string) bool { return diag.Mistyped(known, names, []string{name}) }
		if slices.Contains(secrets, name) || !slices.Contains(names, name) && (isSecret(name) || slices.ContainsFunc(secrets, meant)) {
			found = append(found, eval.Literals(attr.Expr)...)
		}
	}
	return found
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
