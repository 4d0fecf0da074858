package bounds

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Rounds reports nested for expressions that would take too many rounds in total, before
// they are evaluated.
func Rounds(expr hcl.Expression, ctx *hcl.EvalContext) hcl.Diagnostics {
	node, ok := expr.(hclsyntax.Node)
	if !ok {
		return nil
	}
	r := &rounds{ctx: ctx}
	return hclsyntax.Walk(node, r)
}

// rounds walks for expressions. The ChildScopes of one are inside of it; its collection is
// outside.
type rounds struct {
	ctx   *hcl.EvalContext
	loops []*loop // entered
}

type loop struct {
	expr    *hclsyntax.ForExpr
	around  int       // how many ChildScopes of it were entered
	depends bool      // on a loop around it
	fixed   cty.Value // its collection, if that does not depend on outer loops and is known
}

func (r *rounds) Enter(node hclsyntax.Node) hcl.Diagnostics {
	switch n := node.(type) {
	case *hclsyntax.ForExpr:
		r.loops = append(r.loops, &loop{expr: n})
		return r.check()
	case hclsyntax.ChildScope:
		if len(r.loops) > 0 {
			r.loops[len(r.loops)-1].around++
		}
	}
	return nil
}

func (r *rounds) Exit(node hclsyntax.Node) hcl.Diagnostics {
	switch node.(type) {
	case *hclsyntax.ForExpr:
		r.loops = r.loops[:len(r.loops)-1]
	case hclsyntax.ChildScope:
		if len(r.loops) > 0 {
			r.loops[len(r.loops)-1].around--
		}
	}
	return nil
}

// check counts the rounds of the innermost loop, if it is nested.
func (r *rounds) check() hcl.Diagnostics {
	var within []*loop
	for _, l := range r.loops[:len(r.loops)-1] {
		if l.around > 0 {
			within = append(within, l)
		}
	}
	if len(within) == 0 {
		return nil
	}
	within = append(within, r.loops[len(r.loops)-1])
	relate(within)
	total := count(within, r.ctx)
	if total <= mostRounds {
		return nil
	}
	at := within[0].expr.Range()
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Too many rounds",
		Detail:  fmt.Sprintf("These for expressions take %s rounds together, and at most %d can be meant.", shown(total), mostRounds),
		Subject: &at}}
}

// count returns the number of rounds of loops, the outermost first. It is a product if the
// inner collections do not depend on outer loops; otherwise count iterates over them, up to
// the limit.
func count(loops []*loop, ctx *hcl.EvalContext) int {
	first := loops[0].enter(ctx)
	if len(loops) == 1 {
		return first.LengthInt()
	}
	if !slices.ContainsFunc(loops[1:], func(l *loop) bool { return l.depends }) {
		total := first.LengthInt()
		for _, l := range loops[1:] {
			total = min(total*l.enter(ctx).LengthInt(), far)
		}
		return total
	}
	total := 0
	for elements := first.ElementIterator(); elements.Next(); {
		if total += max(count(loops[1:], loops[0].bind(ctx, elements)), 1); total > mostRounds {
			break
		}
	}
	return total
}

// far is the number of rounds at which counting stops.
const far = 1 << 50

// shown formats a number of rounds, as far as it was counted.
func shown(total int) string {
	if total >= far || total < 2*mostRounds {
		return fmt.Sprintf("more than %d", mostRounds)
	}
	return fmt.Sprint(total)
}

// relate finds the loops whose collection depends on one around them.
func relate(loops []*loop) {
	names := map[string]bool{}
	for _, l := range loops {
		l.fixed = cty.NilVal
		l.depends = slices.ContainsFunc(l.expr.CollExpr.Variables(), func(t hcl.Traversal) bool { return names[t.RootName()] })
		names[l.expr.KeyVar], names[l.expr.ValVar] = true, true
	}
}

// enter returns the collection of the loop: one unknown element if it is not known.
func (l *loop) enter(ctx *hcl.EvalContext) cty.Value {
	if l.fixed != cty.NilVal {
		return l.fixed
	}
	collection, problems := l.expr.CollExpr.Value(ctx)
	collection, _ = collection.Unmark()
	if problems.HasErrors() || !collection.IsKnown() || collection.IsNull() || !collection.CanIterateElements() {
		collection = cty.TupleVal([]cty.Value{cty.DynamicVal})
	}
	if !l.depends {
		l.fixed = collection
	}
	return collection
}

// bind returns the scope of an element.
func (l *loop) bind(ctx *hcl.EvalContext, elements cty.ElementIterator) *hcl.EvalContext {
	key, value := elements.Element()
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{l.expr.ValVar: value}
	if l.expr.KeyVar != "" {
		inner.Variables[l.expr.KeyVar] = key
	}
	return inner
}
