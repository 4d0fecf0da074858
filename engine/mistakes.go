package engine

import (
	"context"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/existing"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/spec"
)

// further returns the mistakes that can be found although there are some already, of steps that
// a plan without mistakes would take later. It leaves out what only follows from the known ones.
func further(ctx context.Context, c call, t texts, known diag.List) diag.List {
	whole := spec.Whole(known)
	if t.asRead == nil || !whole && !spec.Read(known) {
		return nil
	}
	e, ofValues := evaluate(ctx, c, t) // what exists is not asked for
	if !whole {
		ofValues = slices.DeleteFunc(ofValues, func(d diag.Diagnostic) bool { return d.Summary != "Wrong type" && d.Summary != "Invalid value" })
		return append(ofValues, plan.Forms(e.spec, c.options.Kinds)...)
	}
	ofValues = slices.DeleteFunc(ofValues, func(d diag.Diagnostic) bool { return d.Summary == "Missing value" }) // its default may be the mistake
	return append(ofValues, afterMistakes(c, t, e, ofValues)...)
}

// afterMistakes returns the mistakes of the plan, after those of values. A variable or local with a
// mistake is unknown, so what needs it is no mistake of its own.
func afterMistakes(c call, t texts, e evaluated, ofValues diag.List) diag.List {
	if e.spec.Cluster != nil && (e.cluster == nil || ofValues.HasErrors()) {
		return plan.Forms(e.spec, c.options.Kinds)
	}
	_, mistakes := build(c, t, e, existing.Found{})
	return withoutConsequences(mistakes)
}

// withoutConsequences leaves out what a value with a mistake brings about, since it is unknown.
func withoutConsequences(list diag.List) diag.List {
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Summary == "Not known before the run" })
}

// withoutCluster reports names of nodes, where the spec has no cluster.
func withoutCluster(yesDestroy []string) (diags diag.List) {
	for _, name := range yesDestroy {
		diags = append(diags, diag.Errorf(nil, "Unknown node", "--yes-destroy names %q, and the spec has no cluster with nodes. Leave the flag out.", name)...)
	}
	return diags
}
