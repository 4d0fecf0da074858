package refs

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// foresee returns the values of references before the run, after the instances and the
// skipped ones are known.
func (all *Refs) foresee() map[*Block]foreseen {
	all.foretell()
	found := map[*Block]foreseen{}
	for _, block := range all.Blocks {
		if block.Kind == nil || block.Invalid {
			continue
		}
		var f foreseen
		values := map[*Task]cty.Value{}
		if block.unlike() {
			f.own = values
		}
		for _, t := range block.Tasks {
			if t.Skip != "" || f.own != nil {
				values[t] = all.object(t, nil)
				continue
			}
			if f.done == cty.NilVal {
				f.done = all.object(t, nil)
			}
			values[t] = f.done
		}
		if !block.Single {
			f.all = block.nested(block.Tasks, nil, func(t *Task) cty.Value { return values[t] })
		}
		found[block] = f
	}
	return found
}

// foretell finds the outputs that are known before the run, because they are arguments that
// are.
func (all *Refs) foretell() {
	all.foretold = map[*Task]map[string]cty.Value{}
	visited := map[*Task]bool{}
	for _, block := range all.Blocks {
		for i, t := range block.Tasks {
			if first := block.Tasks[0]; i > 0 && t.Skip == "" && first.Skip == "" && !block.unlike() {
				all.foretold[t] = all.foretold[first]
				continue
			}
			all.foretellTask(t, visited)
		}
	}
}

// foretellTask does so for one task, after those that its arguments refer to. In a cycle, which
// is reported elsewhere, the values stay unknown.
func (all *Refs) foretellTask(t *Task, visited map[*Task]bool) {
	if visited[t] || t.Skip != "" || !t.Block.certain() {
		return
	}
	visited[t] = true
	for _, one := range t.arguments {
		for _, other := range one.refs.Tasks() {
			all.foretellTask(other, visited)
		}
	}
	all.foretold[t] = all.Foretold(t, nil)
}

// certain reports whether the tasks of a block return their values if nothing fails, whatever
// other tasks return.
func (b *Block) certain() bool {
	return b.Steady() && !slices.ContainsFunc(b.Spec.When, b.Namespace.IsLate)
}

// Steady reports whether the tasks of a block return their values if they are done and do not
// fail.
func (b *Block) Steady() bool {
	s := b.Spec
	return b.Kind != nil && !b.Invalid && s.FailedWhen == nil && !s.OnFailure && !s.Always && expand.RoleOf(s) == expand.Normal
}

// unlike reports whether the outputs that are arguments may differ between instances.
func (b *Block) unlike() bool {
	if len(b.Tasks) < 2 {
		return false
	}
	for _, one := range b.Tasks[0].arguments {
		if one.expr != nil && b.Namespace.Differs(one.expr) {
			return true
		}
	}
	return false
}

// Foretold returns the outputs of a task that are known before it is done, by name. It is done
// for certain.
func (all *Refs) Foretold(t *Task, values *Values) map[string]cty.Value {
	found := map[string]cty.Value{}
	for _, one := range t.arguments {
		if value, ok := all.argument(t, one, values); ok {
			found[one.Output] = value
		}
	}
	return found
}

// argument returns the value of an argument, if it is known. A sensitive one is left to the
// task, which knows how to hide it.
func (all *Refs) argument(t *Task, one argument, values *Values) (cty.Value, bool) {
	if one.expr == nil {
		return one.Default, true
	}
	value, problems := bounds.Value(one.expr, all.ContextWith(t, all.Variables(one.refs, t.Block.Namespace, values), values))
	if problems.HasErrors() || sensitive.Is(value) || !value.IsWhollyKnown() {
		return cty.NilVal, false
	}
	kind := t.Block.Outputs[one.Output]
	if value.IsNull() {
		value = one.Default
	}
	value = Typed(value, kind)
	return value, value.Type().Equals(kind) && !inHome(value)
}

// inHome reports whether a value is a path of which only the host knows the beginning.
func inHome(value cty.Value) bool {
	return value.Type() == cty.String && !value.IsNull() && module.InHome(value.AsString())
}

// Content reports whether the references are to something whose content a task changes, which has
// changes still to come.
func (r References) Content(t *Task) bool {
	return slices.ContainsFunc(t.arguments, func(one argument) bool {
		return one.Content && slices.ContainsFunc(r.to(t), func(ref Reference) bool { return ref.Output == one.Output })
	})
}

// Tainted returns these references with more blocks whose values are sensitive.
func (all *Refs) Tainted(blocks []*Block) *Refs {
	next := *all
	next.tainted, next.foreseen, next.given = maps.Clone(all.tainted), nil, map[*binding]cty.Value{}
	if next.tainted == nil {
		next.tainted = map[*Block]bool{}
	}
	for _, b := range blocks {
		next.tainted[b] = true
	}
	next.foreseen = next.foresee()
	for _, r := range all.made {
		next.given[r], _ = next.value(r, nil)
	}
	return &next
}

// argumentsOf lists the outputs of a block's tasks that are arguments, without references.
func argumentsOf(b *Block) []argument {
	all := make([]argument, len(b.Arguments))
	for i, one := range b.Arguments {
		all[i].ArgumentOutput = one
		if attr := b.Spec.Args.Attributes[one.Argument]; attr != nil {
			all[i].expr = hcl.Expression(attr.Expr)
		}
	}
	return all
}
