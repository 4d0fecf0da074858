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

		inventory: inv, pools: map[string]string{},
	}
	for i, h := range hosts {
		e.t.Hypervisors = append(e.t.Hypervisors, Hypervisor{Name: h.Name, Address: h.Address, Index: i, Vars: maps.Clone(h.Vars)})
	}
	e.nodes()
	e.pods()
	for i := range e.t.Hypervisors {
		e.t.Hypervisors[i].Management = e.ids.port(c.Name + "-" + e.t.Hypervisors[i].Name)
	}
	e.checkNames()
	e.address()
	return e.t, e.diags
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

// count formats a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// expansion is the state of one Expand.
type expansion struct {
	t     *Topology
	ids   identities
	load  *load
	diags diag.List

	inventory *inventory.Inventory
	pools     map[string]string // of existing machines, by name
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
			e.t.Nodes = append(e.t.Nodes, Node{
				Port: e.ids.port(name), Short: short, Pool: p.Name, Driver: p.Driver, Overlay: true, Index: i, UUID: id(c.Name, "machine", name),
				Hypervisor: e.load.place(p, on, placed),
				VCPUs:      p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: p.OS, Vars: maps.Clone(p.Vars),
			})
		}
	}
}

// pods makes the pods, the first one on the first hypervisor and so on.
func (e *expansion) pods() {
	for i := range e.t.Cluster.Pods {
		on := e.t.Hypervisors[i%len(e.t.Hypervisors)]
		name := fmt.Sprintf("%s-pod-%02d", e.t.Cluster.Name, i+1)
		e.t.Pods = append(e.t.Pods, Pod{Port: e.ids.port(name), Hypervisor: on.Name})
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
