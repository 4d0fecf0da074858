package existing

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// Enrols returns the run's hosts that become hypervisors, if the command line names no hosts: all of the inventory
// are then.
func (r Run) Enrols(t *topology.Topology, found Found) []string {
	if t == nil || len(r.Inputs.Hosts) > 0 || r.Offline || r.Looks || r.Inputs.CleansUp {
		return nil
	}
	all := lists.Map(t.Hypervisors, func(h topology.Hypervisor) string { return h.Name })
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(found.Hypervisors(), name) })
}

// UnnamedHypervisors refuses to make hosts that no flag names hypervisors of a cluster that exists.
func (r Run) UnnamedHypervisors(t *topology.Topology, found Found) diag.List {
	fresh, has := r.Enrols(t, found), found.Hypervisors()
	if len(fresh) == 0 || len(has) == 0 || r.Continues {
		return nil
	}
	slices.Sort(fresh)
	return diag.List{{Summary: "New hypervisors not named", Subject: &t.Cluster.Range, Cause: topology.ErrExisting,
		Detail: fmt.Sprintf("The cluster %q is on %s. Without --hosts, the run has all hosts of the inventory, and would use %s for the cluster too. Nothing was changed. To keep the hypervisors, give --hosts %s. To add hosts, name them too: --hosts %s.",
			t.Cluster.Name, lists.And(has), lists.And(fresh), strings.Join(has, ","), strings.Join(slices.Concat(has, fresh), ","))}}
}

// UnknownLost reports names of lost hosts that are in no inventory, and that nothing says the cluster has been on. The
// cluster is nil if the spec has none.
func (r Run) UnknownLost(c *topology.Cluster, found Found) (diags diag.List) {
	if r.Offline || r.Continues {
		return nil
	}
	known := append(r.Inventory.HostNames(), r.Inputs.Hosts...)
	for _, a := range found.Answers {
		if a.Record != nil {
			known = append(known, a.Record.Hosts()...)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range r.Inputs.Lost {
		if slices.Contains(known, name) {
			continue
		}
		if c != nil {
			if been, err := r.Memory.MayBeOn(c.Name, name); been && err == nil {
				continue
			}
		}
		diags = append(diags, diag.Errorf(nil, "Unknown host", "--lost names %q, which is no host of the inventories and no hypervisor of the cluster.%s The hosts are %s.",
			name, diag.Near(name, known), strings.Join(known, ", "))...)
	}
	return diags
}
