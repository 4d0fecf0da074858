package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// arguments are the attributes of a block by name; an absent one is nil.
type arguments map[string]hcl.Expression

// content splits a block into its arguments and its inner blocks, and reports unexpected
// and missing ones. Names of required arguments end with "!".
func (l *loader) content(b *hclsyntax.Block, names, inner []string) (arguments, hclsyntax.Blocks) {
	args := arguments{}
	known := make([]string, len(names))
	for i, name := range names {
		required := name[len(name)-1] == '!'
		if required {
			name = name[:len(name)-1]
		}
		known[i] = name
		attr, ok := b.Body.Attributes[name]
		if ok {
			args[name] = attr.Expr
		}
		if required && !ok && !meant(b.Body, name, names) {
			l.errorf(b.DefRange(), "Missing argument", "%s block needs the argument %q.", article(b.Type), name)
		}
	}
	for _, attr := range sorted(b.Body.Attributes) {
		if args[attr.Name] == nil {
			l.errorf(attr.NameRange, "Unknown argument", "%s block has no argument %q.%s", article(b.Type), attr.Name, diag.Near(attr.Name, known))
		}
	}
	var blocks hclsyntax.Blocks
	for _, block := range b.Body.Blocks {
		if !slices.Contains(inner, block.Type) {
			l.errorf(block.TypeRange, "Unknown block type", "%s block has no block %q.%s", article(b.Type), block.Type, diag.Near(block.Type, inner))
			continue
		}
		if len(block.Labels) > 0 {
			l.errorf(block.DefRange(), "Wrong labels", "%s block has no label.", article(block.Type))
			continue
		}
		blocks = append(blocks, block)
	}
	return args, blocks
}

// meant reports whether a missing argument is present with a typing error, which was
// reported.
func meant(body *hclsyntax.Body, missing string, names []string) bool {
	known := make([]string, len(names))
	for i, name := range names {
		known[i] = strings.TrimSuffix(name, "!")
	}
	return diag.Mistyped(missing, known, slices.Collect(maps.Keys(body.Attributes)))
}

// literal decodes an expression without any scope into target, and does not change target
// if it is absent.
func (l *loader) literal(expr hcl.Expression, target any) bool {
	if expr == nil {
		return false
	}
	_, problems := expr.Value(nil)
	if !problems.HasErrors() {
		problems = gohcl.DecodeExpression(expr, nil, target)
	}
	for _, p := range problems {
		if p.Summary == "Variables not allowed" {
			p.Summary, p.Detail = "Invalid reference", "This is read before anything has a value, so it must be written out and cannot refer to anything."
		}
	}
	l.diags = append(l.diags, diag.FromHCL(problems)...)
	return !problems.HasErrors()
}

// article returns a word with its article.
func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "An " + word
	}
	return "A " + word
}

// sorted lists attributes in the order of the file.
func sorted(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
