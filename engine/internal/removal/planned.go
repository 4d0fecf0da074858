package removal

import (
	"fmt"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/input"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// NeverLeaves refuses to take nodes out of a cluster whose playbook never records that they have left.
func NeverLeaves(in input.Inputs, t *topology.Topology, p *plan.Plan) diag.List {
	if len(t.Leaving) == 0 || in.CleansUp || in.Recreate || !p.Remembers() {
		return nil
	}
	leaving := lists.Map(t.Leaving, func(l topology.Leaving) string { return l.Name })
	return diag.List{{Summary: "Nodes cannot leave", Subject: &t.Cluster.Range, Cause: topology.ErrExisting,
		Detail: fmt.Sprintf("The cluster %q would lose %s, and no task of its playbook writes cluster.record.left: the record would have these nodes for good, and no later run would create them again. Nothing was changed. Add a task that writes cluster.record.left to cluster.record.path after the tasks that remove nodes; or rebuild the cluster with --recreate.",
			t.Cluster.Name, lists.And(leaving))}}
}

// Planned returns the nodes, pods and addresses that the plan's tasks remove, as far as they are known
// before these look at their hosts. out reports whether the run leaves a host out.
func Planned(in input.Inputs, t *topology.Topology, p *plan.Plan, out func(host string) bool) []event.Removal {
	sweeps := p.Sweeps()
	leaves := p.Leaving() && (sweeps || p.Forgets()) || in.CleansUp || in.Recreate
	late := func(r event.Removal) bool {
		return slices.ContainsFunc(t.Leaving, func(l topology.Leaving) bool { return l.Name == r.Name && l.Hypervisor == r.Host })
	}
	return slices.DeleteFunc(slices.Clone(t.Removals), func(r event.Removal) bool {
		return out(r.Host) || late(r) && !leaves || !late(r) && !sweeps
	})
}
