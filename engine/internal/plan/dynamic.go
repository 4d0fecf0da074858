package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
)

// dynamic is the block that stands for one block per element of a collection, as
// in Terraform: dynamic "nic" { for_each = …, content { … nic.value … } }.
const dynamic = "dynamic"

// innerBlock is a block with the scope of its expressions.
type innerBlock struct {
	*hclsyntax.Block
	ctx *hcl.EvalContext
}

// innerBlocks lists the blocks of a body, with those that dynamic blocks make.
func (d *decoder) innerBlocks(body *hclsyntax.Body, ctx *hcl.EvalContext) []innerBlock {
	var all []innerBlock
	for _, b := range body.Blocks {
		if b.Type != dynamic {
			all = append(all, innerBlock{b, ctx})
			continue
		}
		all = append(all, d.dynamic(b, ctx)...)
	}
	return all
}

// dynamic makes the blocks of one dynamic block. When the collection is not known,
// one block with unknown values stands for all.
func (d *decoder) dynamic(b *hclsyntax.Block, ctx *hcl.EvalContext) []innerBlock {
	content, forEach := parts(b)
	if len(b.Labels) != 1 || content == nil || forEach == nil {
		d.errorf(b.DefRange(), "Invalid dynamic block", "A dynamic block has one label, a for_each argument and a content block.")
		return nil
	}
	value, problems := bounds.Value(forEach, ctx)
	if problems.HasErrors() {
		d.diags = append(d.diags, diag.FromHCL(problems)...)
		return nil
	}
	made := func(key, element cty.Value) innerBlock {
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{
			b.Labels[0]: cty.ObjectVal(map[string]cty.Value{"key": key, "value": element}),
		}
		return innerBlock{&hclsyntax.Block{Type: b.Labels[0], Body: content, TypeRange: b.TypeRange}, inner}
	}
	if !value.IsKnown() {
		d.unknown = true
		return []innerBlock{made(cty.DynamicVal, cty.DynamicVal)}
	}
	value, marks := value.Unmark()
	if value.IsNull() || !value.CanIterateElements() {
		d.errorf(forEach.Range(), "Invalid for_each", "Give a list, set, map or object.")
		return nil
	}
	var all []innerBlock
	for it := value.ElementIterator(); it.Next(); {
		key, element := it.Element()
		all = append(all, made(key.WithMarks(marks), element.WithMarks(marks)))
	}
	return all
}

// parts finds the two parts of a dynamic block.
func parts(b *hclsyntax.Block) (content *hclsyntax.Body, forEach hclsyntax.Expression) {
	if attr := b.Body.Attributes["for_each"]; attr != nil && len(b.Body.Attributes) == 1 {
		forEach = attr.Expr
	}
	if len(b.Body.Blocks) == 1 && b.Body.Blocks[0].Type == "content" && len(b.Body.Blocks[0].Labels) == 0 {
		content = b.Body.Blocks[0].Body
	}
	return content, forEach
}
