package ownership

import (
	"maps"
	"slices"
	"strings"

	"kinit/engine/internal/plan"
)

// target is a host that tasks change, and the user of those tasks who takes its lock.
type target struct {
	name string
	as   *plan.Become // nil means the user of the host's settings
}

// targets returns the hosts that the plan's tasks may change, by name.
func targets(p *plan.Plan) []target {
	found := map[string]target{}
	for _, s := range []plan.Section{p.Main, p.OnFailure, p.Always} {
		for _, t := range s.Tasks {
			if t.Skip != "" || t.Host == "" || t.Reads() {
				continue
			}
			if known, ok := found[t.Host]; !ok || better(t.Become, known.as) {
				found[t.Host] = target{name: t.Host, as: t.Become}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b target) int { return strings.Compare(a.name, b.name) })
}

// better reports whether a is better suited than b to take a lock: root can take it where
// all other users see it.
func better(a, b *plan.Become) bool {
	root := func(b *plan.Become) bool { return b != nil && b.User == "root" }
	return root(a) && !root(b) || a == nil && b != nil && !root(b)
}
