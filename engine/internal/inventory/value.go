package inventory

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/lists"
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
		"groups":  texts(h.Groups),
		"vars":    cty.ObjectVal(markAll(h.Vars)),
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
		all[group] = texts(members)
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

func texts(all []string) cty.Value {
	values := lists.Map(all, cty.StringVal)
	if len(values) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	return cty.ListVal(values)
}
