package engine

import (
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
)

// further returns the mistakes that can be found although there are some already, of steps that
// a plan without mistakes would take later. It leaves out what only follows from the known ones.
func (p *planned) further(known diag.List) diag.List {
	whole := spec.Whole(known)
	if p.spec == nil || !whole && !spec.Read(known) {
		return nil
	}
	next := *p // what exists is not asked for
	cluster, ofValues := next.evaluate()
	if !whole {
		ofValues = slices.DeleteFunc(ofValues, func(d diag.Diagnostic) bool { return d.Summary != "Wrong type" && d.Summary != "Invalid value" })
		return append(ofValues, plan.Forms(next.spec, next.options.Kinds)...)
	}
	ofValues = slices.DeleteFunc(ofValues, func(d diag.Diagnostic) bool { return d.Summary == "Missing value" }) // its default may be the mistake
	return append(ofValues, next.afterMistakes(cluster, ofValues)...)
}

// afterMistakes returns the mistakes of the plan, after those of values. A variable or local with a
// mistake is unknown, so what needs it is no mistake of its own.
func (p *planned) afterMistakes(cluster *topology.Cluster, ofValues diag.List) diag.List {
	if p.spec.Cluster != nil && (cluster == nil || ofValues.HasErrors()) {
		return plan.Forms(p.spec, p.options.Kinds)
	}
	return withoutConsequences(p.build(cluster))
}

// withoutConsequences leaves out what a value with a mistake brings about, since it is unknown.
func withoutConsequences(list diag.List) diag.List {
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Summary == "Not known before the run" })
}
