package spec

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// arguments are the attributes of a block by name; an absent one is nil.
type arguments map[string]hcl.Expression

// content splits a block into its arguments and its inner blocks, and tells of
// those it should not have and of required ones it lacks. Names of required
// arguments end with "!".
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
		if required && !ok {
			l.errorf(b.DefRange(), "Missing argument", "A %s block needs the argument %q.", b.Type, name)
		}
	}
	for _, attr := range sorted(b.Body.Attributes) {
		if args[attr.Name] == nil {
			l.errorf(attr.NameRange, "Unknown argument", "A %s block has no argument %q.%s", b.Type, attr.Name, diag.Near(attr.Name, known))
		}
	}
	var blocks hclsyntax.Blocks
	for _, block := range b.Body.Blocks {
		if !slices.Contains(inner, block.Type) {
			l.errorf(block.TypeRange, "Unknown block type", "A %s block has no block %q.%s", b.Type, block.Type, diag.Near(block.Type, inner))
			continue
		}
		if len(block.Labels) > 0 {
			l.errorf(block.DefRange(), "Wrong labels", "A %s block has no label.", block.Type)
			continue
		}
		blocks = append(blocks, block)
	}
	return args, blocks
}

// literal decodes an expression without any scope into target, and leaves target
// alone when it is absent.
func (l *loader) literal(expr hcl.Expression, target any) bool {
	if expr == nil {
		return false
	}
	_, problems := expr.Value(nil)
	if !problems.HasErrors() {
		problems = gohcl.DecodeExpression(expr, nil, target)
	}
	l.diags = append(l.diags, diag.FromHCL(problems)...)
	return !problems.HasErrors()
}

// sorted lists attributes by their place.
func sorted(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
