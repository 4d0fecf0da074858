package topology

import (
	"slices"
	"strings"

	"kinit/engine/diag"
)

// Leave is what a run takes out of a cluster beside the nodes that its block no longer has. A
// node that the block has keeps its place, and a later run recreates it there.
type Leave struct {
	Nodes       []string // with or without the cluster's name
	Hypervisors []string // all nodes that are there
	Destroy     []string // nodes that leave even if data is lost with them
	Remove      []string // what may be removed, with or without the cluster's name
	Sure        bool     // the names were checked by a run before this one, which may have removed what they name
}

// has reports whether a node leaves.
func (l Leave) has(n Node, have Existing) bool {
	return slices.Contains(l.Nodes, n.Name) || slices.Contains(l.Nodes, n.Short) || slices.Contains(l.Hypervisors, have.home(n.Name))
}

// hasNode reports whether a node leaves because it is named.
func (l Leave) hasNode(name, cluster string) bool { return among(l.Nodes, name, cluster) != "" }

// removes returns the name by which something may be removed, or "".
func (l Leave) removes(name, cluster string) string { return among(l.Remove, name, cluster) }

// among returns the one of some names, with or without the cluster's, that means a full name, or "".
func among(names []string, full, cluster string) string {
	i := slices.IndexFunc(names, func(name string) bool { return name == full || cluster+"-"+name == full })
	if i < 0 {
		return ""
	}
	return names[i]
}

// destroys reports whether a node leaves even if data is lost with it.
func (l Leave) destroys(name, cluster string) bool {
	return among(l.Destroy, name, cluster) != ""
}

// unknown reports names of nodes that the cluster does not have, and of hypervisors that the run
// does not have. The nodes of a lost hypervisor leave like those of one that answers.
func (l Leave) unknown(c Cluster, names, lost []string, on *load) (diags diag.List) {
	for _, name := range l.Hypervisors {
		if !slices.Contains(on.names, name) && !slices.Contains(lost, name) {
			diags = append(diags, on.unknown(name, c.Range, "All nodes are to leave that are")...)
		}
	}
	named := l.Nodes
	if !l.Sure {
		named = slices.Concat(l.Nodes, l.Destroy)
	}
	for _, name := range named {
		if !slices.Contains(names, name) && !slices.Contains(names, c.Name+"-"+name) {
			diags = append(diags, diag.Errorf(&c.Range, "Unknown node", "The cluster %q has no node %q.%s %s. If it was removed before, leave the name out.", c.Name, name, diag.Near(name, names), list(names))...)
		}
	}
	return diags
}

// emptied reports a hypervisor that is evacuated although the cluster has nodes there alone.
func (e *expansion) emptied() {
	stays := func(n Node) bool {
		place := e.Existing.node(n.Name)
		return place.Name != "" && !place.Away
	}
	if len(e.Leave.Hypervisors) == 0 || e.Recreate || e.Ends != "" || slices.ContainsFunc(e.t.Nodes, stays) {
		return
	}
	var all []string
	for _, l := range e.t.Leaving {
		if slices.Contains(e.Leave.Hypervisors, l.Hypervisor) && !l.Destroy {
			all = append(all, l.Name)
		}
	}
	if len(all) == 0 {
		return
	}
	e.Errorf(e.Cluster.Range, "Cluster would lose all nodes", "All nodes of the cluster %q are on %s: %s. Evacuating it would remove them with their data, and a later run would create them empty. Nothing was changed. Create nodes on another hypervisor first, as by 'kinit replace SPEC %s --set node.%s.hypervisor=HOST', which drains a node and removes it with the data that only it has. To remove these nodes all the same, give --yes-destroy %s.",
		e.Cluster.Name, strings.Join(e.Leave.Hypervisors, " and "), strings.Join(all, ", "), all[0], all[0], strings.Join(all, ","))
}

// list is the sentence that lists a cluster's nodes.
func list(names []string) string {
	if len(names) == 0 {
		return "It has no nodes"
	}
	return "Its nodes are " + strings.Join(names, ", ")
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
		made := have.node(l.Name)
		place := Place{Name: l.Name, Long: l.long, Pool: made.Pool, Driver: made.Driver, Hypervisor: l.Hypervisor, IP: l.IP, MAC: l.MAC}
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
