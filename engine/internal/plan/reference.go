package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// reference is an expression's mention of a task.
type reference struct {
	block   *block // nil for a relay itself
	task    *Task  // the instance, or nil for all of them
	at      hcl.Range
	soft    bool   // to come after it is enough, however it ends
	through *relay // which refers to it; nil when the expression itself does
}

// tasks lists the instances that are meant.
func (r reference) tasks() []*Task {
	switch {
	case r.block == nil:
		return nil
	case r.task != nil:
		return []*Task{r.task}
	}
	return r.block.instances
}

// references are the mentions of tasks in the expressions of one block.
type references []reference

// tasks lists the instances that are meant, each once.
func (r references) tasks() []*Task {
	var all []*Task
	seen := map[*Task]bool{}
	for _, ref := range r {
		for _, t := range ref.tasks() {
			if !seen[t] {
				seen[t] = true
				all = append(all, t)
			}
		}
	}
	return all
}

// at is where an instance is meant first.
func (r references) at(t *Task) hcl.Range {
	for _, ref := range r {
		if ref.task == t || ref.task == nil && ref.block == t.block {
			return ref.at
		}
	}
	return hcl.Range{}
}

// object is what task means in an expression with these references.
func (r references) object(values *Values) cty.Value {
	modules := map[string]map[string]cty.Value{}
	for _, b := range r.blocks() {
		names := modules[b.spec.Module]
		if names == nil {
			names = map[string]cty.Value{}
			modules[b.spec.Module] = names
		}
		names[b.spec.Name] = r.of(b, values)
	}
	all := map[string]cty.Value{}
	for name, names := range modules {
		all[name] = cty.ObjectVal(names)
	}
	return cty.ObjectVal(all)
}

// blocks lists the blocks that the expressions themselves mention, each once.
func (r references) blocks() []*block {
	var all []*block
	for _, ref := range r {
		if ref.through == nil && !slices.Contains(all, ref.block) {
			all = append(all, ref.block)
		}
	}
	return all
}

// of is what one block means: the values of its only instance, or an object of
// those instances that are meant.
func (r references) of(b *block, values *Values) cty.Value {
	switch {
	case b.invalid:
		return cty.DynamicVal
	case b.single:
		return b.instances[0].object(values)
	case values == nil && b.foreseen != nil && r.whole(b):
		return b.foreseen.all
	}
	instances := map[string]cty.Value{}
	for _, ref := range r {
		if ref.block != b {
			continue
		}
		for _, t := range ref.tasks() {
			if _, ok := instances[t.Key]; !ok {
				instances[t.Key] = t.object(values)
			}
		}
	}
	return cty.ObjectVal(instances)
}

// whole tells whether all instances of a block are meant.
func (r references) whole(b *block) bool {
	return slices.ContainsFunc(r, func(ref reference) bool { return ref.block == b && ref.task == nil })
}
