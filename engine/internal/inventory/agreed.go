package inventory

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Agreed is what an inventory says about a spec's variables for these hosts: the
// top-level values, and over them every variable that all of the hosts have with
// the same value, from their groups or their own. Secrets are marked.
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

// Places is where the inventory says the values of variables, of the first of the
// hosts.
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
