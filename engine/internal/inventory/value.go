package inventory

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/eval"
)

// Value is the hosts as expressions see them: name → {name, address, groups, vars}.
func Value(hosts []*Host) cty.Value {
	all := map[string]cty.Value{}
	for _, h := range hosts {
		all[h.Name] = h.Value()
	}
	return cty.ObjectVal(all)
}

// Value is the host as expressions see it.
func (h *Host) Value() cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"name":    cty.StringVal(h.Name),
		"address": cty.StringVal(h.Address),
		"groups":  eval.TextList(h.Groups),
		"vars":    cty.ObjectVal(h.marked()),
	})
}

// GroupsValue is the groups as expressions see them: the names of those of the given
// hosts that are in each, in the order of the hosts.
func (inv *Inventory) GroupsValue(hosts []*Host) cty.Value {
	all := map[string]cty.Value{}
	for _, group := range append(inv.GroupNames(), All, Ungrouped) {
		var members []string
		for _, h := range hosts {
			if h.isIn(group) {
				members = append(members, h.Name)
			}
		}
		all[group] = eval.TextList(members)
	}
	return cty.ObjectVal(all)
}

func (h *Host) isIn(group string) bool {
	switch group {
	case All:
		return true
	case Ungrouped:
		return len(h.Groups) == 0
	}
	return slices.Contains(h.Groups, group)
}

// Agreed returns the inventory's values of a spec's variables for these hosts: the
// top-level values, overridden by every variable that has the same value for all of the
// hosts, from their groups or blocks. Secrets are marked.
func (inv *Inventory) Agreed(hosts []*Host) map[string]cty.Value {
	agreed := map[string]cty.Value{}
	maps.Copy(agreed, markAll(inv.Vars))
	if len(hosts) == 0 {
		return agreed
	}
	marked := hosts[0].marked()
	for name, value := range hosts[0].Vars {
		differs := func(h *Host) bool {
			other, ok := h.Vars[name]
			return !ok || !other.RawEquals(value)
		}
		if !slices.ContainsFunc(hosts[1:], differs) {
			agreed[name] = marked[name]
		}
	}
	return agreed
}

// Places returns the places of the values of variables in the inventory, of the first host.
func Places(hosts []*Host) map[string]hcl.Range {
	all := map[string]hcl.Range{}
	if len(hosts) > 0 {
		for name, origin := range hosts[0].Origins {
			all[name] = origin.At
		}
	}
	return all
}
