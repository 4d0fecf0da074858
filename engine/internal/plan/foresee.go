package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// foreseen is what references to a block mean before the run. It is made once:
// many tasks may refer to many instances.
type foreseen struct {
	done cty.Value // of an instance that is to be done: all unknown
	all  cty.Value // of all instances
}

// foresee makes what references mean before the run, when it is known which
// instances there are and which of them are skipped.
func (b *builder) foresee() {
	for _, block := range b.blocks.order {
		if block.kind == nil || block.invalid {
			continue
		}
		f := &foreseen{}
		instances := map[string]cty.Value{}
		for _, t := range block.instances {
			if t.Skip != "" {
				instances[t.Key] = t.object(nil)
				continue
			}
			if f.done == cty.NilVal {
				f.done = t.object(nil)
			}
			instances[t.Key] = f.done
		}
		f.all = cty.ObjectVal(instances)
		block.foreseen = f
	}
}

// shared remembers, while the arguments of a block's instances are checked, the
// values of those expressions that are the same for all of them.
type shared struct {
	varies map[hcl.Expression]bool
	values map[hcl.Expression]evaluated
}

// evaluated is an expression's value, and that as a value of its argument's type.
type evaluated struct {
	value     cty.Value
	problems  hcl.Diagnostics
	converted cty.Value
	err       error // of the conversion
	known     bool  // all of it
}

func evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) evaluated {
	var e evaluated
	if e.value, e.problems = expr.Value(ctx); e.problems.HasErrors() || e.value.IsNull() {
		return e
	}
	if e.converted, e.err = convert.Convert(e.value, kind); e.err == nil {
		e.known = e.converted.IsWhollyKnown()
	}
	return e
}

func newShared() *shared {
	return &shared{varies: map[hcl.Expression]bool{}, values: map[hcl.Expression]evaluated{}}
}

// evaluate evaluates an expression of an instance in its scope, ctx.
func (s *shared) evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) evaluated {
	varies, known := s.varies[expr]
	if !known {
		varies = differs(expr)
		s.varies[expr] = varies
	}
	if varies {
		return evaluate(expr, ctx, kind)
	}
	e, known := s.values[expr]
	if !known {
		e = evaluate(expr, ctx, kind)
		s.values[expr] = e
	}
	return e
}

// differs tells whether an expression may have another value in another instance:
// it names what each instance has of its own.
func differs(expr hcl.Expression) bool {
	for _, t := range expr.Variables() {
		switch t.RootName() {
		case "each", "host", "result":
			return true
		}
	}
	return false
}
