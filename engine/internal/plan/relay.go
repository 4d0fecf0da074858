package plan

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
)

// relay is an expression of one namespace that a name of another one stands for: an
// output of an import, or an input of it that may need values of tasks. To refer to it
// is to refer to what it refers to.
type relay struct {
	space *space // of the expression
	expr  hcl.Expression
	name  string // in the whole plan, such as import.shop.url or import.shop.var.port
	give  func(cty.Value) (cty.Value, diag.List)

	reads    references
	referred bool // reads are found, or being found
	asked    bool // it is being found whether it is late
	finding  bool
	invalid  bool      // it has no value, because of an error that is told already
	foreseen cty.Value // before the run, once it is known
}

// output is how an output of an import is given to its importer.
func (s *space) output(o *spec.Output) func(cty.Value) (cty.Value, diag.List) {
	return func(value cty.Value) (cty.Value, diag.List) {
		if o.Sensitive {
			value = sensitive.Mark(value)
			s.eval.Mask(value)
		}
		return value, nil
	}
}

// refer finds, once, what the expression refers to.
func (r *relay) refer() diag.List {
	at := r.expr.Range()
	if r.finding {
		return diag.Errorf(&at, "Values in a cycle", "The value of %s needs itself.", r.name)
	}
	if r.referred {
		return nil
	}
	r.referred, r.finding = true, true
	var diags diag.List
	r.reads, diags = r.space.find(r.space.context(at.Filename), r.expr)
	r.finding, r.invalid = false, diags.HasErrors()
	return diags
}

// isLate tells whether the expression needs values of tasks.
func (r *relay) isLate() bool {
	if r.asked {
		return false // a cycle, which is told when it is found what it refers to
	}
	r.asked = true
	defer func() { r.asked = false }()
	return r.space.isLate(r.expr)
}

// value evaluates the expression.
func (r *relay) value(values *Values) (cty.Value, diag.List) {
	switch {
	case r.invalid:
		return cty.DynamicVal, nil
	case values == nil && r.foreseen != cty.NilVal:
		return r.foreseen, nil
	}
	ctx := r.space.context(r.expr.Range().Filename).NewChild()
	ctx.Variables = r.reads.variables(r.space, values)
	value, problems := bounds.Value(r.expr, ctx)
	if problems.HasErrors() {
		return cty.DynamicVal, diag.FromHCL(problems)
	}
	return r.give(value)
}

// relays lists those that are mentioned, each once.
func (r references) relays() []*relay {
	var all []*relay
	for _, ref := range r {
		if ref.block == nil && !slices.Contains(all, ref.through) {
			all = append(all, ref.through)
		}
	}
	return all
}

// addRelays adds what var and import mean in expressions with these references, where
// they have values of relays.
func (r references) addRelays(variables map[string]cty.Value, s *space, values *Values) {
	mentioned := map[*relay]bool{}
	for _, relay := range r.relays() {
		mentioned[relay] = true
	}
	if len(mentioned) == 0 {
		return
	}
	vars := s.eval.Variables()
	maps.Copy(vars, given(s.inputs, mentioned, values))
	variables["var"] = cty.ObjectVal(vars)
	imports := map[string]cty.Value{}
	for label, outputs := range s.imports {
		imports[label] = cty.ObjectVal(given(outputs, mentioned, values))
	}
	variables["import"] = cty.ObjectVal(imports)
}

// given is the values of those that are mentioned. One that cannot be evaluated is
// null in a run; tasks that cannot bear that ask for problems first.
func given(relays map[string]*relay, mentioned map[*relay]bool, values *Values) map[string]cty.Value {
	all := map[string]cty.Value{}
	for name, relay := range relays {
		if !mentioned[relay] {
			continue
		}
		value, diags := relay.value(values)
		if diags.HasErrors() && values != nil {
			value = cty.NullVal(cty.DynamicPseudoType)
		}
		all[name] = value
	}
	return all
}

// problems tells of relays that cannot be evaluated.
func (r references) problems(values *Values) diag.List {
	var diags diag.List
	for _, relay := range r.relays() {
		diags = append(diags, relay.reads.problems(values)...)
		if diags.HasErrors() {
			continue
		}
		_, more := relay.value(values)
		diags = append(diags, more...)
	}
	return diags
}

// imported records a reference to outputs of imports.
func (f *finder) imported(t hcl.Traversal) {
	at := t.SourceRange()
	if len(t) < 2 {
		f.errorf(at, "Invalid reference", "Name an output of an import, as in import.shop.url.")
		return
	}
	label, _ := stepKey(t[1])
	outputs, ok := f.imports[label]
	if !ok {
		f.errorf(at, "Unknown import", "There is no import.%s.%s", label, diag.Near(label, slices.Collect(maps.Keys(f.imports))))
		return
	}
	if len(t) == 2 {
		for _, name := range slices.Sorted(maps.Keys(outputs)) {
			f.relay(outputs[name], at)
		}
		return
	}
	name, _ := stepKey(t[2])
	if outputs[name] == nil {
		f.errorf(at, "Unknown output", "import.%s has no output %q.%s", label, name, diag.Near(name, slices.Collect(maps.Keys(outputs))))
		return
	}
	f.relay(outputs[name], at)
}

// input records a reference to a variable whose value is a relay.
func (f *finder) input(t hcl.Traversal) {
	if len(t) < 2 {
		for _, name := range slices.Sorted(maps.Keys(f.inputs)) {
			f.relay(f.inputs[name], t.SourceRange())
		}
		return
	}
	name, _ := stepKey(t[1])
	if relay := f.inputs[name]; relay != nil {
		f.relay(relay, t.SourceRange())
	}
}

// relay records a reference to one, and to what it refers to.
func (f *finder) relay(r *relay, at hcl.Range) {
	f.diags = append(f.diags, r.refer()...)
	f.found = append(f.found, reference{through: r, at: at})
	for _, ref := range r.reads {
		if ref.block != nil {
			f.found = append(f.found, reference{block: ref.block, task: ref.task, through: r, at: at})
		}
	}
}

// checkRelays evaluates all relays as far as they are known before the run.
func (b *builder) checkRelays() {
	for _, r := range b.relays {
		diags := r.refer()
		if !diags.HasErrors() && !b.diags.HasErrors() {
			r.foreseen, diags = r.value(nil)
		}
		b.diags = append(b.diags, diags...)
	}
}
