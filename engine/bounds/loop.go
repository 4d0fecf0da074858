package bounds

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/lineend"
)

// Limit makes the loops in a file or an expression end as soon as their results are too
// large. It is called once, after parsing; Parse has done it for its file.
func Limit(node hclsyntax.Node) {
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		loop, ok := n.(*hclsyntax.ForExpr)
		if !ok {
			return nil
		}
		switch loop.ValExpr.(type) { // other expressions make no new text
		case *hclsyntax.TemplateExpr, *hclsyntax.FunctionCallExpr, *hclsyntax.ConditionalExpr, *hclsyntax.ObjectConsExpr, *hclsyntax.TupleConsExpr:
			loop.ValExpr = &round{loop.ValExpr}
		}
		return nil
	})
}

// Parse reads a file of HCL, whose lines may end as on Windows, and limits its loops. name is the file's name in ranges.
// The file of a text with mistakes has no limits.
func Parse(name string, text []byte) (*hcl.File, hcl.Diagnostics) {
	file, problems := hclsyntax.ParseConfig(lineend.Unix(text), name, hcl.InitialPos)
	if !problems.HasErrors() {
		Limit(file.Body.(*hclsyntax.Body))
	}
	return file, problems
}

// round is the expression that a loop evaluates for each element. Its texts are counted.
type round struct{ hclsyntax.Expression }

// Value returns the value of the expression, unless loops have made too much.
func (r *round) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	made := madeIn(ctx)
	if made == nil {
		return r.Expression.Value(ctx)
	}
	if made.bytes <= mostMade {
		value, problems := r.Expression.Value(ctx)
		s := &size{}
		s.add(value)
		if made.bytes += s.bytes; problems.HasErrors() || made.bytes <= mostMade {
			return value, problems
		}
	}
	return cty.DynamicVal, hcl.Diagnostics{refusal(fmt.Errorf("loops make texts of more than %d MiB", mostMade>>20), r.Range())}
}

// made is how much the loops of one evaluation have made.
type made struct{ bytes int }

// counter is the name of the function that returns the count of an evaluation. No
// expression can call it.
const counter = "\x00made"

var countType = cty.Capsule("count", reflect.TypeFor[made]())

// counted returns a scope in which the loops of one evaluation are counted. Without
// functions there are no long loops.
func counted(ctx *hcl.EvalContext) *hcl.EvalContext {
	functions := false
	for outer := ctx; outer != nil; outer = outer.Parent() {
		functions = functions || outer.Functions != nil
	}
	if !functions {
		return ctx
	}
	count := cty.CapsuleVal(countType, &made{})
	inner := ctx.NewChild()
	inner.Functions = map[string]function.Function{counter: function.New(&function.Spec{
		Type: function.StaticReturnType(countType),
		Impl: func([]cty.Value, cty.Type) (cty.Value, error) { return count, nil },
	})}
	return inner
}

func madeIn(ctx *hcl.EvalContext) *made {
	for ; ctx != nil; ctx = ctx.Parent() {
		if f, ok := ctx.Functions[counter]; ok {
			if value, err := f.Call(nil); err == nil {
				return value.EncapsulatedValue().(*made)
			}
		}
	}
	return nil
}
