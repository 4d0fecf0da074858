package topology

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// Expand computes the topology of a cluster over hosts, which are all used. The inventory
// contains the machines that pools name.
func Expand(c Cluster, hosts []*inventory.Host, inv *inventory.Inventory) (*Topology, diag.List) {
	if len(hosts) < c.Hypervisors {
		return nil, tooFew(c, hosts)
	}
	e := &expansion{
		t:    &Topology{Cluster: c, ID: id(c.Name, "cluster", c.Name)},
		ids:  identities{cluster: c.Name, macs: map[string]bool{}},
		load: newLoad(hosts),

		inventory: inv, pools: map[string]string{}, unused: maps.Clone(c.Nodes),
	}
	for i, h := range hosts {
		e.t.Hypervisors = append(e.t.Hypervisors, Hypervisor{Name: h.Name, Address: h.Address, Index: i, Vars: maps.Clone(h.Vars)})
	}
	e.nodes()
	e.forgotten()
	e.pods()
	for i := range e.t.Hypervisors {
		e.t.Hypervisors[i].Management = e.ids.port(c.Name + "-" + e.t.Hypervisors[i].Name)
	}
	e.checkNames()
	return e.t, append(e.diags, e.t.address()...)
}

// tooFew returns an error with both numbers.
func tooFew(c Cluster, hosts []*inventory.Host) diag.List {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	given := ""
	if len(names) > 0 {
		given = ": " + strings.Join(names, ", ")
	}
	return diag.Errorf(&c.Range, "Too few hypervisors", "The cluster %q needs at least %s, and the run has %s%s. Name more hosts with --hosts.",
		c.Name, count(c.Hypervisors, "hypervisor"), count(len(hosts), "host"), given)
}

// expansion is the state of one Expand.
type expansion struct {
	t     *Topology
	ids   identities
	load  *load
	diags diag.List

	inventory *inventory.Inventory
	pools     map[string]string       // of existing machines, by name
	unused    map[string]NodeSettings // of nodes that have not come yet
}

// nodes makes the nodes of all pools, in order.
func (e *expansion) nodes() {
	c := e.t.Cluster
	taken := map[string]bool{}
	for _, p := range c.Pools {
		if p.Hosts != nil {
			e.machines(p)
			continue
		}
		on, diags := e.load.allowed(p)
		if e.diags = append(e.diags, diags...); diags.HasErrors() {
			continue
		}
		placed := map[int]int{}
		for i := range p.Count {
			full, short := nodeName(c.Name, p, i)
			name := full
			if isWindows(p.OS) {
				name = computerName(full, taken)
			}
			taken[name] = true
			node := Node{
				Port: e.ids.port(name), Short: short, Pool: p.Name, Driver: p.Driver, Overlay: true, Index: i, UUID: id(c.Name, "machine", name),
				VCPUs: p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: p.OS, Vars: maps.Clone(p.Vars),
			}
			node.Hypervisor, diags = e.load.place(node, on, placed, e.settle(&node))
			e.diags = append(e.diags, diags...)
			e.t.Nodes = append(e.t.Nodes, node)
		}
	}
}

// machines makes the nodes of a pool of existing machines.
func (e *expansion) machines(p Pool) {
	for i, name := range p.Hosts {
		host := e.inventory.Host(name)
		switch {
		case host == nil:
			e.diags = append(e.diags, diag.Errorf(&p.named, "Unknown host", "The pool %q names the machine %q, which is in no inventory.%s", p.Name, name, diag.Near(name, e.inventory.HostNames()))...)
			continue
		case slices.Contains(e.load.names, name):
			e.diags = append(e.diags, diag.Errorf(&p.named, "Conflicting roles", "The machine %q is a node of pool %q and a hypervisor of this run, whose services would take the node's ports. Name the hypervisors by --hosts without it, or leave it out of the pool.", name, p.Name)...)
			continue
		case e.pools[name] != "":
			e.diags = append(e.diags, diag.Errorf(&p.named, "Duplicate machine", "The machine %q is in pool %q already. Name it once.", name, e.pools[name])...)
			continue
		}
		port, problem := e.ids.nodePort(p, host)
		if problem != "" {
			e.diags = append(e.diags, diag.Errorf(&p.named, "No address", "The machine %q %s. Say in its inventory by which one the other nodes reach it, as in vars = { %s = \"192.0.2.5\" }.", name, problem, addressVar)...)
			continue
		}
		system, problem := nodeSystem(p, host)
		if problem != "" {
			e.diags = append(e.diags, diag.Errorf(&p.named, "Another system", "The machine %q %s. Name another machine, or leave os out where the pool may have machines of any system.", name, problem)...)
			continue
		}
		if p.Overlay && isWindows(system) {
			e.diags = append(e.diags, diag.Errorf(&p.overlaid, "Not possible yet", "The machine %q of pool %q runs %s, and kinit takes machines with Linux alone onto the overlay. Name it in a pool without overlay: it is reached beside the overlay then.", name, p.Name, system)...)
			continue
		}
		e.pools[name] = p.Name
		node := Node{
			Port: port, Short: name, Pool: p.Name, Driver: p.Driver, Overlay: p.Overlay, Index: i, UUID: id(e.t.Cluster.Name, "machine", name),
			VCPUs: p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: system, Vars: maps.Clone(p.Vars),
		}
		if own := e.settle(&node); own.Hypervisor != "" {
			e.diags = append(e.diags, diag.Errorf(&own.placed, "Conflicting arguments", "The node %q is a machine that exists already and runs on no hypervisor: leave hypervisor out.", name)...)
		}
		e.t.Nodes = append(e.t.Nodes, node)
	}
}

// settle gives a node what its blocks have for it, and returns the block that has its
// hypervisor. Blocks name a node with or without the cluster's name; the one with it has
// priority.
func (e *expansion) settle(n *Node) (placed NodeSettings) {
	for _, name := range []string{n.Short, n.Name} {
		own := e.unused[name]
		delete(e.unused, name)
		n.VCPUs, n.Memory, n.Disk = or(own.VCPUs, n.VCPUs), or(own.Memory, n.Memory), or(own.Disk, n.Disk)
		maps.Copy(n.Vars, own.Vars)
		if own.Hypervisor != "" {
			placed = own
		}
	}
	return placed
}

// forgotten reports settings of nodes that do not exist.
func (e *expansion) forgotten() {
	var names []string
	for _, n := range e.t.Nodes {
		names = append(names, n.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(e.unused)) {
		at := e.unused[name].Range
		e.diags = append(e.diags, diag.Errorf(&at, "Unknown node", "The cluster has no node %q. Its nodes are %s.", name, strings.Join(names, ", "))...)
	}
}

// pods makes the pods, each on its own hypervisor or on that after the one before.
func (e *expansion) pods() {
	at := -1
	for i, p := range e.t.Cluster.Pods {
		at = (at + 1) % len(e.load.names)
		if p.Hypervisor != "" {
			named := slices.Index(e.load.names, p.Hypervisor)
			if named < 0 {
				e.diags = append(e.diags, e.load.unknown(p.Hypervisor, p.placed, fmt.Sprintf("The pod %q runs", p.Name))...)
				continue
			}
			at = named
		}
		name := fmt.Sprintf("%s-pod-%02d", e.t.Cluster.Name, i+1)
		e.t.Pods = append(e.t.Pods, Pod{Port: e.ids.port(name), Hypervisor: e.load.names[at]})
	}
}

// ports lists everything that has an address, in the order of addresses given.
func (t *Topology) ports() []*Port {
	var all []*Port
	for i := range t.Nodes {
		all = append(all, &t.Nodes[i].Port)
	}
	for i := range t.Pods {
		all = append(all, &t.Pods[i].Port)
	}
	for i := range t.Hypervisors {
		all = append(all, &t.Hypervisors[i].Management)
	}
	return all
}

// checkNames reports names that are no host names or that are used twice.
func (e *expansion) checkNames() {
	seen := map[string]bool{}
	var twice []string
	for _, p := range e.t.ports() {
		if seen[p.Name] {
			twice = append(twice, p.Name)
		}
		seen[p.Name] = true
	}
	at := e.t.Cluster.Range
	if len(twice) > 0 {
		slices.Sort(twice)
		e.diags = append(e.diags, diag.Errorf(&at, "Duplicate name", "More than one node, pod or hypervisor would be named %s. Give a pool another name.",
			strings.Join(slices.Compact(twice), ", "))...)
	}
	for _, n := range e.t.Nodes {
		if !label.MatchString(n.Name) {
			e.diags = append(e.diags, diag.Errorf(&at, "Invalid name", "%q is no host name: it has lower case letters, digits and - only, and 63 at most.", n.Name)...)
		}
	}
}
