package inventory

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/graph"
	"kinit/engine/internal/inventory/pattern"
	"kinit/engine/internal/inventory/source"
)

// group reads a group block. A group in several files has the members of all.
func (l *loader) group(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	f := &fields{loader: l, block: b, ctx: ctx}
	g := l.inv.groupNamed(b.Labels[0], b.DefRange())
	g.isHCL = true
	for _, host := range f.names("hosts") {
		for _, name := range l.expand(host.Name, host.At) {
			l.member(g, source.Ref{Name: name, At: host.At})
		}
	}
	for _, inner := range f.names("groups") {
		l.nest(g, inner)
	}
	f.decode("priority", &g.priority)
	g.given.merge(f.given(false))
	l.set(&g.vars, l.object(f.expr("vars"), ctx))
	f.finish()
}

// names reads an argument that is a list of names, with the place of each.
func (f *fields) names(argument string) []source.Ref {
	var names []string
	if !f.decode(argument, &names) {
		return nil
	}
	expr := f.expr(argument)
	elements, _ := hcl.ExprList(expr)
	refs := make([]source.Ref, len(names))
	for i, name := range names {
		refs[i] = source.Ref{Name: name, At: expr.Range()}
		if len(elements) == len(names) {
			refs[i].At = elements[i].Range()
		}
	}
	return refs
}

// expand lists the names of a name with ranges.
func (l *loader) expand(name string, at hcl.Range) []string {
	names, err := pattern.Expand(name)
	if err != nil {
		l.errorf(at, "Invalid host", "%s", err)
	}
	return names
}

// member adds a host to a group; every host is in "all".
func (l *loader) member(g *Group, host source.Ref) {
	if l.inv.Host(host.Name) == nil && !l.named[host.Name] {
		l.named[host.Name] = true
		l.outside = append(l.outside, host)
	}
	if g == &l.inv.all || g == &l.inv.ungrouped || g.has[host.Name] {
		return
	}
	if g.has == nil {
		g.has = map[string]bool{}
	}
	g.has[host.Name] = true
	g.Hosts = append(g.Hosts, host.Name)
}

// nest puts a group into another; all groups are in "all".
func (l *loader) nest(g *Group, inner source.Ref) {
	switch {
	case g == &l.inv.all || g == &l.inv.ungrouped:
		l.uses = append(l.uses, use{inner, g.Name})
	case inner.Name == source.All || inner.Name == source.Ungrouped:
		l.errorf(inner.At, "Groups in a cycle", "The group %q cannot be in another group.", inner.Name)
	case !slices.Contains(g.Groups, inner.Name):
		l.uses = append(l.uses, use{inner, g.Name})
		g.Groups = append(g.Groups, inner.Name)
	}
}

// use is a group within another.
type use struct {
	source.Ref
	within string
}

// addMembers adds hosts that only groups name, and reports missing groups and ambiguous
// names.
func (l *loader) addMembers() {
	for _, host := range l.outside {
		if l.inv.Host(host.Name) == nil {
			l.inv.add(&Host{Settings: Outside(host.Name), mention: host.At})
		}
	}
	for _, u := range l.uses {
		if l.inv.group(u.Name) == nil {
			l.errorf(u.At, "Unknown group", "Group %q has a group %q, which is not declared.%s", u.within, u.Name, diag.Near(u.Name, l.inv.GroupNames()))
		}
	}
	for _, g := range l.inv.Groups {
		switch h := l.inv.Host(g.Name); {
		case h == nil:
		case h.isHCL && g.isHCL:
			l.errorf(g.Range, "Duplicate name", "%q is a host and a group.", g.Name)
		default:
			l.warnf(g.Range, "Duplicate name", "%q is a host and a group; in a pattern it means the group.", g.Name)
		}
	}
}

// cyclicGroups reports groups that contain themselves.
func (l *loader) cyclicGroups() bool {
	nesting := &graph.Graph[string]{}
	for _, g := range l.inv.Groups {
		for _, inner := range g.Groups {
			nesting.Connect(g.Name, inner)
		}
	}
	var cycles *graph.CycleError[string]
	if !errors.As(nesting.Validate(), &cycles) {
		return false
	}
	for _, cycle := range cycles.Cycles {
		at := l.inv.group(cycle[0]).Range
		for _, u := range l.uses {
			if u.within == cycle[0] && u.Name == cycle[1%len(cycle)] {
				at = u.At
			}
		}
		l.errorf(at, "Groups in a cycle", "Each of these groups has the next one inside: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
	return true
}

// setDepths counts the groups around each group, along the longest path.
func (inv *Inventory) setDepths() {
	parents := map[string][]*Group{}
	for _, g := range inv.Groups {
		for _, inner := range g.Groups {
			parents[inner] = append(parents[inner], g)
		}
	}
	var depth func(g *Group) int
	depth = func(g *Group) int {
		if g.depth == 0 {
			g.depth = 1
			for _, parent := range parents[g.Name] {
				g.depth = max(g.depth, depth(parent)+1)
			}
		}
		return g.depth
	}
	for _, g := range inv.Groups {
		depth(g)
	}
}

// byPrecedence compares groups of one host: the variables of the later one have priority.
func byPrecedence(a, b *Group) int {
	return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.priority, b.priority), strings.Compare(a.Name, b.Name))
}

// Members lists the hosts of a group, its own first, and whether the group exists. The
// groups must have no cycle.
func (inv *Inventory) Members(group string) (hosts []string, ok bool) {
	g := inv.group(group)
	if g == nil {
		return nil, false
	}
	switch g {
	case &inv.all:
		return inv.HostNames(), true
	case &inv.ungrouped:
		return inv.ungrouped.Hosts, true
	}
	hosts = slices.Clone(g.Hosts)
	for _, inner := range g.Groups {
		more, _ := inv.Members(inner)
		hosts = append(hosts, more...)
	}
	return hosts, true
}

// checkVia reports hosts that are reached through themselves.
func (l *loader) checkVia() {
	ways := &graph.Graph[string]{}
	for _, h := range l.inv.Hosts {
		if h.Via != "" {
			ways.Connect(h.Name, h.Via)
		}
	}
	var cycles *graph.CycleError[string]
	if !errors.As(ways.Validate(), &cycles) {
		return
	}
	for _, cycle := range cycles.Cycles {
		l.errorf(l.inv.Host(cycle[0]).Range, "Hosts in a cycle", "Each of these hosts is reached via the next one: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
}
