package topology

import (
	"slices"
	"strings"

	"kinit/engine/diag"
)

// Leave is what a run takes out of a cluster beside the nodes that its block no longer has. A
// node that the block has keeps its place, and a later run makes it anew there.
type Leave struct {
	Nodes       []string // with or without the cluster's name
	Hypervisors []string // all nodes that are there
	Destroy     []string // nodes that leave even if data is lost with them
}

// has reports whether a node leaves.
func (l Leave) has(n Node, have Existing) bool {
	return slices.Contains(l.Nodes, n.Name) || slices.Contains(l.Nodes, n.Short) || slices.Contains(l.Hypervisors, have.home(n.Name))
}

// destroys reports whether a node leaves even if data is lost with it.
func (l Leave) destroys(name, cluster string) bool {
	return slices.Contains(l.Destroy, name) || slices.Contains(l.Destroy, strings.TrimPrefix(name, cluster+"-"))
}

// unknown reports names of nodes that the cluster does not have, and of hypervisors that the run
// does not have.
func (l Leave) unknown(c Cluster, names []string, on *load) (diags diag.List) {
	for _, name := range l.Hypervisors {
		if !slices.Contains(on.names, name) {
			diags = append(diags, on.unknown(name, c.Range, "All nodes are to leave that are")...)
		}
	}
	for _, name := range l.Nodes {
		if !slices.Contains(names, name) && !slices.Contains(names, c.Name+"-"+name) {
			diags = append(diags, diag.Errorf(&c.Range, "Unknown node", "The cluster %q has no node %q.%s", c.Name, name, diag.Near(name, names))...)
		}
	}
	return diags
}

// home returns the hypervisor that a node is on, or that it comes back to, or "".
func (x Existing) home(node string) string {
	if host := x.host(node); host != "" {
		return host
	}
	return x.node(node).Hypervisor
}

// others lists the places that are in the record beside those of the topology: now, and when all
// that leaves has left. out are nodes that come back.
func (t *Topology) others(have Existing, out map[string]bool) (now, left []Place) {
	for _, l := range t.Leaving {
		if l.Hypervisor == "" {
			place := have.node(l.Name)
			place.Leads = false
			now = append(now, place)
			place.Machine, place.Away = "", true
			left = append(left, place)
			continue
		}
		place := Place{Name: l.Name, Long: l.long, Hypervisor: l.Hypervisor, IP: l.IP, MAC: l.MAC}
		now = append(now, place)
		if l.Lost {
			place.Hypervisor = "" // it comes back elsewhere
		}
		if place.Away = true; l.Returns {
			left = append(left, place)
		}
	}
	for _, place := range have.record.Nodes {
		if place.Away && out[place.Name] {
			now, left = append(now, place), append(left, place)
		}
	}
	return now, left
}
