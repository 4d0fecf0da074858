package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
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
	for _, h := range b.hosts.order {
		h.foreseen = b.hosts.value(h.name, nil)
	}
}

// shared remembers, while the arguments of a block's instances are checked, the
// values of those expressions that are the same for all of them.
type shared struct {
	varies map[hcl.Expression]bool
	values map[hcl.Expression]evaluated
}

type evaluated struct {
	value    cty.Value
	problems hcl.Diagnostics
}

func newShared() *shared {
	return &shared{varies: map[hcl.Expression]bool{}, values: map[hcl.Expression]evaluated{}}
}

// value evaluates an expression of a block's instance in its scope, ctx.
func (s *shared) value(expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if s == nil {
		return expr.Value(ctx)
	}
	varies, known := s.varies[expr]
	if !known {
		varies = differs(expr)
		s.varies[expr] = varies
	}
	if varies {
		return expr.Value(ctx)
	}
	if e, ok := s.values[expr]; ok {
		return e.value, e.problems
	}
	value, problems := expr.Value(ctx)
	s.values[expr] = evaluated{value, problems}
	return value, problems
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
