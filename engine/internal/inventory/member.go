package inventory

import (
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/graph"
	"kinit/engine/internal/inventory/pattern"
	"kinit/engine/internal/inventory/source"
)

// expand lists the names of a name with ranges.
func (l *loader) expand(name string, at hcl.Range) []string {
	names, err := pattern.Expand(name)
	if err != nil {
		l.Errorf(at, "Invalid host", "%s", err)
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
		l.Errorf(inner.At, "Groups in a cycle", "The group %q cannot be in another group.", inner.Name)
	case !slices.Contains(g.Groups, inner.Name):
		l.uses = append(l.uses, use{inner, g.Name})
		g.Groups = append(g.Groups, inner.Name)
	}
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
			l.Errorf(u.At, "Unknown group", "Group %q has a group %q, which is not declared.%s", u.within, u.Name, diag.Near(u.Name, l.inv.GroupNames()))
		}
	}
	for _, g := range l.inv.Groups {
		switch h := l.inv.Host(g.Name); {
		case h == nil:
		case h.isHCL && g.isHCL:
			l.Errorf(g.Range, "Duplicate name", "%q is a host and a group.", g.Name)
		default:
			l.Warnf(g.Range, "Duplicate name", "%q is a host and a group; in a pattern it means the group.", g.Name)
		}
	}
}

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
		l.Errorf(at, "Groups in a cycle", "Each of these groups has the next one inside: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
	return true
}

// priorityVar is the variable of a group that says which of two groups of the same
// depth counts. Ansible reads it in inventories, not in group_vars.
const priorityVar = "ansible_group_priority"

// merge adds what one of Ansible's inventories says. What it says of a host or group
// that is there already counts more than what was said before.
func (l *loader) merge(doc *source.Document) {
	l.Tell(doc.Diags)
	for _, from := range doc.Hosts {
		h := l.inv.Host(from.Name)
		if h == nil {
			h = &Host{Settings: Outside(from.Name), Range: from.At}
			l.inv.add(h)
		}
		l.set(&h.layer.vars, from.Vars)
	}
	for _, from := range doc.Groups {
		g := l.inv.groupNamed(from.Name, from.At)
		for _, host := range from.Hosts {
			l.member(g, host)
		}
		for _, inner := range from.Children {
			if inner.Name != source.Ungrouped {
				l.nest(g, inner)
			}
		}
		if priority, ok := from.Vars[priorityVar]; ok {
			if n, ok := wholeNumber(priority.Value); ok {
				g.priority = n
			} else {
				l.Errorf(priority.At, "Invalid priority", "%s of the group %q must be a whole number.", priorityVar, g.Name)
			}
			delete(from.Vars, priorityVar)
		}
		l.set(&g.vars, from.Vars)
	}
}
