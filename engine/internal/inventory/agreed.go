package inventory

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Agreed returns the inventory's values of a spec's variables for these hosts: the
// top-level values, overridden by every variable that has the same value for all of the
// hosts, from their groups or blocks. Secrets are marked.
func (inv *Inventory) Agreed(hosts []*Host) map[string]cty.Value {
	agreed := maps.Clone(inv.Vars)
	if agreed == nil {
		agreed = map[string]cty.Value{}
	}
	if len(hosts) > 0 {
		for name, value := range hosts[0].Vars {
			if sameOnAll(hosts[1:], name, value) {
				agreed[name] = value
			}
		}
	}
	return markAll(agreed)
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

func sameOnAll(hosts []*Host, name string, value cty.Value) bool {
	for _, h := range hosts {
		other, ok := h.Vars[name]
		if !ok || !other.RawEquals(value) {
			return false
		}
	}
	return true
}
