package plan

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/sensitive"
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
		block.foreseen = nil // what was foreseen before is not it
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
	varies     map[hcl.Expression]bool
	values     map[hcl.Expression]*evaluated
	fields     map[reflect.Type][]field
	kinds      map[reflect.Type]cty.Type
	unexpected map[*hclsyntax.Body]diag.List
}

// evaluated is an expression's value, and that as a value of its argument's type.
type evaluated struct {
	value     cty.Value
	problems  hcl.Diagnostics
	converted cty.Value
	err       error         // of the conversion
	known     bool          // all of it
	sensitive bool          // something in it
	common    bool          // to several instances
	decoded   reflect.Value // in the argument's Go type, once it was decoded
}

func evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
	e := &evaluated{}
	if e.value, e.problems = bounds.Value(expr, ctx); e.problems.HasErrors() || e.value.IsNull() {
		return e
	}
	if e.converted, e.err = eval.Convert(e.value, kind); e.err == nil {
		e.known = e.converted.IsWhollyKnown()
		e.sensitive = sensitive.Is(e.converted)
	}
	return e
}

func newShared() *shared {
	return &shared{
		varies: map[hcl.Expression]bool{}, values: map[hcl.Expression]*evaluated{}, fields: map[reflect.Type][]field{},
		kinds: map[reflect.Type]cty.Type{}, unexpected: map[*hclsyntax.Body]diag.List{},
	}
}

// evaluate evaluates an expression of an instance in its scope, ctx.
func (s *shared) evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
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
		e.common = true
		s.values[expr] = e
	}
	return e
}

// fieldsOf is fields, found once for a type.
func (s *shared) fieldsOf(t reflect.Type) []field {
	all, known := s.fields[t]
	if !known {
		all = fields(t)
		s.fields[t] = all
	}
	return all
}

// kindOf is the type of values that an argument of a Go type takes, found once.
func (s *shared) kindOf(name string, into reflect.Value) cty.Type {
	kind, known := s.kinds[into.Type()]
	if known {
		return kind
	}
	kind, err := gocty.ImpliedType(into.Addr().Interface())
	if err != nil {
		panic(fmt.Sprintf("plan: argument %s of type %s: %v; this is a bug in kinit", name, into.Type(), err))
	}
	s.kinds[into.Type()] = kind
	return kind
}

// into puts the value into an argument. What several instances have in common is
// decoded once: nothing changes what was decoded before the run.
func (e *evaluated) into(target reflect.Value) error {
	if e.decoded.IsValid() && e.decoded.Type() == target.Type() {
		target.Set(e.decoded)
		return nil
	}
	plain := e.converted
	if e.sensitive {
		plain, _ = sensitive.Plain(plain)
	}
	if err := gocty.FromCtyValue(plain, target.Addr().Interface()); err != nil {
		return err
	}
	if e.common {
		e.decoded = reflect.New(target.Type()).Elem()
		e.decoded.Set(target)
	}
	return nil
}

// errorText is an error about the value, which may quote it.
func (e *evaluated) errorText(err error) string {
	if sensitive.Is(e.value) {
		return "it is sensitive, so the reason is not shown"
	}
	return errorText(err)
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
