package inventory

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/graph"
)

// addMembers adds hosts that groups name and that have no block of their own, and
// tells of groups that do not exist.
func (l *loader) addMembers() {
	names := l.inv.groupNames()
	for _, g := range l.inv.Groups {
		if l.inv.Host(g.Name) != nil {
			l.errorf(g.Range, "Duplicate name", "%q is a host and a group.", g.Name)
		}
		for _, inner := range g.Groups {
			if l.inv.group(inner) == nil {
				l.errorf(g.Range, "Unknown group", "Group %q has a group %q, which is not declared.%s", g.Name, inner, diag.Near(inner, names))
			}
		}
		for _, name := range g.Hosts {
			if l.inv.Host(name) == nil {
				l.inv.Hosts = append(l.inv.Hosts, &Host{Settings: Outside(name)})
			}
		}
	}
}

func (inv *Inventory) groupNames() []string {
	names := make([]string, len(inv.Groups))
	for i, g := range inv.Groups {
		names[i] = g.Name
	}
	return names
}

// cyclicGroups tells of groups that are in themselves.
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
		l.errorf(l.inv.group(cycle[0]).Range, "Groups in a cycle", "Each of these groups has the next one inside: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
	return true
}

// inherit gives hosts their groups and the groups' vars.
func (l *loader) inherit() {
	for _, h := range l.inv.Hosts {
		depth := l.inv.depths(h.Name)
		var groups []*Group
		for _, g := range l.inv.Groups {
			if depth[g.Name] > 0 {
				groups = append(groups, g)
				h.Groups = append(h.Groups, g.Name)
			}
		}
		slices.SortStableFunc(groups, func(a, b *Group) int { return depth[b.Name] - depth[a.Name] })
		h.Vars = map[string]cty.Value{}
		for _, g := range groups {
			maps.Copy(h.Vars, g.Vars)
		}
		maps.Copy(h.Vars, l.own[h])
	}
}

// depths tells how many groups there are between a host and each group it is in,
// from 1 for a direct member.
func (inv *Inventory) depths(host string) map[string]int {
	depth := map[string]int{}
	var todo []string
	reach := func(g *Group, d int) {
		if depth[g.Name] == 0 {
			depth[g.Name] = d
			todo = append(todo, g.Name)
		}
	}
	for _, g := range inv.Groups {
		if slices.Contains(g.Hosts, host) {
			reach(g, 1)
		}
	}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		for _, g := range inv.Groups {
			if slices.Contains(g.Groups, name) {
				reach(g, depth[name]+1)
			}
		}
	}
	return depth
}

// members lists the hosts of a group, its own first. The groups must have no cycle.
func (inv *Inventory) members(g *Group) []string {
	names := slices.Clone(g.Hosts)
	for _, inner := range g.Groups {
		if g := inv.group(inner); g != nil {
			names = append(names, inv.members(g)...)
		}
	}
	return names
}

// checkVia tells of hosts that are reached through themselves.
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
