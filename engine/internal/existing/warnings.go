package existing

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// Warnings returns what a run does not do, and what one that looks would do.
func (r Run) Warnings(t *topology.Topology, found Found) diag.List {
	diags := slices.Concat(r.servicesStay(t), r.remains(t.Cluster, found))
	if r.Looks {
		diags = append(diags, removals(t)...)
	}
	return diags
}

// removals warns a command that only looks about what a run would remove. Nodes that exist twice have
// errors of their own.
func removals(t *topology.Topology) (diags diag.List) {
	for _, r := range t.Removals {
		stays := slices.ContainsFunc(t.Nodes, func(n topology.Node) bool { return n.Name == r.Name })
		if r.Kind == event.RemovedNode && stays && !slices.Contains(t.Moves, topology.Move{Node: r.Name, From: r.Host, To: t.Place(r.Name)}) {
			continue
		}
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "A run removes something", Subject: &t.Cluster.Range, Detail: "A run would remove: " + r.Object() + ": " + r.Why + "."})
	}
	return diags
}

// servicesStay warns about a hypervisor that is evacuated and keeps a pod.
func (r Run) servicesStay(t *topology.Topology) (diags diag.List) {
	at := &t.Cluster.Range
	for _, pod := range t.Pods {
		here, elsewhere := pod.Split(r.Inputs.Evacuate)
		if len(here) == 0 {
			continue
		}
		text := fmt.Sprintf("The cluster's services run on %s, and kinit does not move them: ", strings.Join(here, ", "))
		if len(elsewhere) > 0 {
			text += fmt.Sprintf("while that host is down, those on %s answer.", strings.Join(elsewhere, ", "))
		} else {
			text += "while that host is down, the cluster is unreachable."
		}
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "Services stay", Subject: at, Detail: text})
	}
	return diags
}

// remains warns about what a clean-up leaves on hosts that the run does not have, or that --limit leaves out.
func (r Run) remains(c topology.Cluster, found Found) diag.List {
	within := r.Matters()
	run := slices.DeleteFunc(slices.Clone(r.Hosts), func(name string) bool { return !within(name) })
	left := without(found.Hosts(), run)
	if !r.Inputs.CleansUp || r.Looks || len(left) == 0 {
		return nil
	}
	return diag.List{{Warning: true, Summary: "Hosts not cleaned up", Subject: &c.Range,
		Detail: fmt.Sprintf("The cluster %q is on %s too, which this run leaves out: what the cluster has there stays. To remove it, run kinit with --hosts %s --stop-after %s, without --limit and --lost, when all of them answer.",
			c.Name, lists.And(left), strings.Join(slices.Concat(run, left), ","), r.Inputs.StopAfter)}}
}
