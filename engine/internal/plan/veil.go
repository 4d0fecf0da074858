package plan

import (
	"maps"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Sensitivity is what a task must not show, as far as its arguments are known.
type Sensitivity struct {
	// All tells that nothing of what the task says may be shown, and that what it
	// returns is sensitive: it says so itself, or has a sensitive value in an argument
	// that its module may show.
	All bool

	veils map[string]veil
}

// Any tells whether an argument has a sensitive value.
func (s Sensitivity) Any() bool { return s.All || len(s.veils) > 0 }

// veil is an argument with a sensitive value.
type veil struct {
	shown cty.Value // what may be shown of it
	kept  bool      // the module shows nothing of it, by its type or its tag
}

// veil notes that the argument which was decoded last has a sensitive value.
func (d *decoder) veil(field reflect.StructField, name string) {
	if d.last == nil || !d.last.sensitive {
		return
	}
	if d.veils == nil {
		d.veils = map[string]veil{}
	}
	kept := field.Tag.Get("log") == "-" || elementType(field.Type) == reflect.TypeFor[secret.Value]()
	d.veils[d.prefix+name] = veil{shown: sensitive.Veiled(d.last.converted), kept: kept}
}

// within decodes a nested block, whose arguments have longer names.
func (d *decoder) within(prefix string, decode func()) {
	outer := d.prefix
	d.prefix += prefix
	decode()
	d.prefix = outer
}

// sensitivity is what the task must not show. The module is asked for the arguments
// that it can keep to itself.
func (t *Task) sensitivity(made module.Task, d *decoder) Sensitivity {
	s := Sensitivity{All: t.Sensitive, veils: d.veils}
	discreet, _ := made.(module.Discreet)
	for _, name := range slices.Sorted(maps.Keys(d.veils)) {
		hidden := discreet != nil && discreet.Hide(name)
		if !hidden && !d.veils[name].kept {
			s.All = true
		}
	}
	return s
}

// Outputs are what a task returned, with marks on what is sensitive of it.
func (t *Task) Outputs(values map[string]cty.Value, s Sensitivity) map[string]cty.Value {
	if !s.All && len(t.block.secrets) == 0 {
		return values
	}
	marked := maps.Clone(values)
	for name, value := range values {
		if s.All || slices.Contains(t.block.secrets, name) {
			marked[name] = sensitive.Mark(value)
		}
	}
	return marked
}

// hidden tells whether an output is sensitive, as far as that is known before the run.
func (b *block) hidden(output string) bool {
	return b.spec.Sensitive || b.tainted || slices.Contains(b.secrets, output)
}

// spreadSensitivity lets what tasks return be sensitive where they were given sensitive
// values that they may show, and goes on with the tasks that read it.
func (b *builder) spreadSensitivity() {
	for changed := b.newlyTainted(nil); len(changed) > 0; changed = b.newlyTainted(changed) {
		for _, block := range changed {
			block.tainted = true
		}
		b.foresee()
		for _, r := range b.relays {
			r.foreseen = cty.NilVal
		}
		for _, r := range b.relays {
			r.foreseen, _ = r.value(nil)
		}
	}
}

// newlyTainted lists the blocks that are found to show sensitive values: after the first
// look at all blocks, or of those that read one of the changed ones.
func (b *builder) newlyTainted(changed []*block) []*block {
	var found []*block
	for _, block := range b.blocks.order {
		switch {
		case block.kind == nil || block.invalid || block.tainted || block.spec.Sensitive:
		case changed == nil && block.shows:
			found = append(found, block)
		case changed != nil && block.readsAny(changed) && block.looksSensitive():
			found = append(found, block)
		}
	}
	return found
}

// readsAny tells whether an instance reads what one of the blocks returns.
func (b *block) readsAny(others []*block) bool {
	for _, t := range b.instances {
		for _, ref := range t.reads {
			if slices.Contains(others, ref.block) {
				return true
			}
		}
		if b.linked {
			break
		}
	}
	return false
}

// looksSensitive tells whether an instance has a sensitive value that it may show.
func (b *block) looksSensitive() bool {
	_ = b.check()
	return b.shows
}
