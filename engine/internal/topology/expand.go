package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/inventory"
	"kinit/engine/lists"
)

// Input is what Expand computes a topology of.
type Input struct {
	Cluster   Cluster
	Hosts     []*inventory.Host    // the hypervisors; they are all used, and their order means nothing
	Inventory *inventory.Inventory // contains the machines that pools name
	Existing  Existing             // what the hosts have of the cluster
	Rebalance bool                 // spreads the nodes of each pool evenly again, with as few moves as possible
	Recreate  bool                 // all that exists is removed first, so nothing leaves by itself
	Ends      string               // the stage that removes all that exists, when the run ends with it; else empty
	Precedes  bool                 // another run builds again what this one removes
	Leave     Leave
	Restore   Restore
	Fixed     map[string]string // what the playbook says is fixed for as long as the cluster exists
	Instance  string            // the id of the cluster's instance; empty if it is not known
	Rebuilt   string            // the id of a run that rebuilds the cluster; empty if it does not
}

// Expand computes the topology of a cluster. What exists stays where it is, with its name and
// address, unless its own block has another hypervisor for it.
func Expand(in Input) (*Topology, diag.List) {
	c := in.Cluster
	if len(in.Hosts) < c.Hypervisors-len(in.Existing.lost) || len(in.Hosts) == 0 && c.Hypervisors > 0 {
		return nil, tooFew(c, in.Hosts)
	}
	impostors := in.Existing.impostors(c, in.rejoins)
	if diags := in.Existing.missing(c, in.Hosts, in.Ends != ""); diags.HasErrors() {
		if impostors.HasErrors() {
			return nil, impostors // the rest may be a consequence
		}
		return nil, diags
	}
	if in.Restore.ID != "" {
		in.Existing = in.Existing.givenUp() // There is no cluster that the nodes of lost hosts could leave.
	}
	hosts := in.Existing.order(in.Hosts)
	e := &expansion{
		Input: in,
		t:     &Topology{Cluster: c, ID: id(c.Name, "cluster", c.Name), Instance: in.Instance, fixed: in.fixed(), identities: in.Existing.known},
		ids:   newIdentities(c.Name, in.Existing.places()),
		load:  newLoad(hosts),
		pools: map[string]string{}, unused: maps.Clone(c.Nodes), out: map[string]bool{},
	}
	for i, h := range hosts {
		e.t.Hypervisors = append(e.t.Hypervisors, Hypervisor{Name: h.Name, Address: h.Address, Index: i, Vars: maps.Clone(h.Vars), machine: in.Existing.recordedAs(h.Name)})
	}
	e.Tell(impostors)
	e.nodes()
	e.Tell(in.Leave.unknown(c, e.nodeNames(), in.Existing.lost, e.load))
	e.leaders()
	e.leaving()
	e.emptied()
	e.forgotten()
	e.pods()
	for i := range e.t.Hypervisors {
		h := &e.t.Hypervisors[i]
		h.Management = e.ids.port(c.Name+"-"+h.Name, in.Existing.hypervisor(h.Name))
	}
	e.checkNames()
	if !impostors.HasErrors() {
		e.moves() // else a node may seem to be on two hypervisors
	}
	e.Tell(e.t.address(in.Existing))
	now, left := e.t.others(in.Existing, e.out)
	e.t.Restore = in.Restore.over(e.t, in.Existing, in.Leave, in.Recreate)
	e.removals()
	e.t.Known, e.t.KnownNodes, e.t.NodePorts = e.known(), e.nodeNames(), e.nodePorts()
	e.t.rebuilt = cmp.Or(in.Rebuilt, in.Existing.record.Rebuilt)
	restores, restored := e.t.Restore.recorded()
	r := e.t.record(in.Existing.record, now, restores)
	e.t.Record, e.t.Left = r.Text(), e.t.record(r, left, restored).Text()
	if err := r.check(); err != nil && !e.Diags.HasErrors() {
		e.Errorf(c.Range, "Invalid record", "No later run could read the record of the cluster %q: %v. A name or a fixed value has one line of at most %d bytes.", c.Name, err, longestFixed)
	}
	return e.t, e.Diags
}

// tooFew returns an error with both numbers.
func tooFew(c Cluster, hosts []*inventory.Host) diag.List {
	given := ""
	if len(hosts) > 0 {
		given = ": " + strings.Join(newLoad(hosts).names, ", ")
	}
	return diag.Errorf(&c.Range, "Too few hypervisors", "The cluster %q needs at least %s, and the run has %s%s. Name more hosts with --hosts.",
		c.Name, count(c.Hypervisors, "hypervisor"), count(len(hosts), "host"), given)
}

// expansion is the state of one Expand.
type expansion struct {
	Input
	diag.Collector
	t    *Topology
	ids  identities
	load *load

	pools  map[string]string       // of existing machines, by name
	unused map[string]NodeSettings // of nodes that have not come yet
	out    map[string]bool         // nodes that the cluster's block has, and that leave all the same
}

// nodes makes the nodes of all pools, in order. Nodes that exist keep their hypervisors; the
// others are placed when it is known what these hypervisors run.
func (e *expansion) nodes() {
	taken := map[string]bool{}
	for _, p := range e.Existing.places() {
		taken[p.Name] = true
	}
	var spreads []spread
	for _, p := range e.Cluster.Pools {
		if p.Hosts != nil {
			e.machines(p)
			continue
		}
		on, diags := e.load.allowed(p)
		if e.Tell(diags); diags.HasErrors() {
			continue
		}
		s := spread{on: on, placed: map[int]int{}}
		for i := range p.Count {
			node := e.node(p, i, taken)
			own := e.settle(&node)
			leaves := e.Leave.has(node, e.Existing)
			if on := e.Existing.on[node.Name]; leaves && len(on) > 1 && !e.chosen(node) && !e.Recreate && e.Ends == "" {
				e.Tell(diag.List{e.twice(node, on)})
			}
			if leaves || !e.Recreate && e.Existing.isLost(node.Name) {
				e.out[node.Name] = true
				continue
			}
			s.own = append(s.own, own)
			s.nodes = append(s.nodes, len(e.t.Nodes))
			e.t.Nodes = append(e.t.Nodes, node)
		}
		e.stay(&s)
		spreads = append(spreads, s)
	}
	for _, s := range spreads {
		e.place(s)
	}
}

// spread is a pool whose nodes are being placed.
type spread struct {
	on     []int          // the hypervisors that they may run on
	placed map[int]int    // how many of them are on each hypervisor
	nodes  []int          // their index in the topology
	own    []NodeSettings // what each has for itself
}

// node makes a node of a pool, without a place.
func (e *expansion) node(p Pool, index int, taken map[string]bool) Node {
	cluster := e.Cluster.Name
	full, short := nodeName(cluster, p, index)
	name, long := full, ""
	if isWindows(p.OS) {
		if name = e.Existing.called(full); name == "" {
			name = computerName(full, taken)
		}
	}
	if name != full {
		long = full
	}
	taken[name] = true
	return Node{
		Port: e.ids.port(name, e.Existing.node(name)), Short: short, Pool: p.Name, Driver: p.Driver, Overlay: true, Index: index, UUID: id(cluster, "machine", name),
		VCPUs: p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: p.OS, Vars: maps.Clone(p.Vars), long: long,
	}
}

// known lists the names by which --remove can name what the cluster has: nodes, pods and hypervisors.
func (e *expansion) known() []string {
	names := e.nodeNames()
	for _, p := range e.t.ports() {
		names = append(names, p.Name)
	}
	for _, p := range e.Existing.places() {
		names = append(names, p.Name)
	}
	for name, hosts := range e.Existing.on {
		for _, host := range hosts {
			if len(hosts) > 1 {
				names = append(names, event.CopyOn(name, host))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nodeNames lists the names of the cluster's nodes, of those that leave too.
func (e *expansion) nodeNames() []string {
	names := slices.Collect(maps.Keys(e.out))
	for _, n := range e.t.Nodes {
		names = append(names, n.Name)
	}
	for _, p := range e.Existing.record.Nodes {
		names = append(names, p.Name)
	}
	for name := range e.Existing.on {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nodePorts returns the nodes that the topology has or that hosts have, by the names of their ports.
func (e *expansion) nodePorts() map[string]string {
	ports := map[string]string{}
	for _, n := range e.t.Nodes {
		ports[portID(e.Cluster.Name, n.Name)] = n.Name
	}
	for name := range e.Existing.on {
		ports[portID(e.Cluster.Name, name)] = name
	}
	return ports
}

// leaders lists the nodes that the record already has and that stay, and chooses the node that leads each pool:
// the one that has led it, or else the first that exists and stays, or else the first.
func (e *expansion) leaders() {
	e.t.Leads = map[string]string{}
	best := map[string]int{}
	for _, n := range e.t.Nodes {
		place := e.Existing.node(n.Name)
		rank := 1
		switch stays := place.Name != "" && !place.Away && e.Existing.host(n.Name) == n.Hypervisor; {
		case stays && place.Leads:
			rank = 3
		case stays:
			rank = 2
		}
		if rank > 1 && !e.Recreate {
			e.t.Existing = append(e.t.Existing, n.Name)
		}
		if rank > best[n.Pool] {
			best[n.Pool], e.t.Leads[n.Pool] = rank, n.Name
		}
	}
}

// leaving lists the nodes that exist and that the topology does not have.
func (e *expansion) leaving() {
	if e.Recreate {
		return
	}
	for _, place := range e.Existing.record.Nodes {
		host := e.Existing.host(place.Name)
		stays := slices.ContainsFunc(e.t.Nodes, func(n Node) bool { return n.Name == place.Name })
		if stays || host == "" {
			continue
		}
		port := e.ids.port(place.Name, place)
		port.IP = place.IP
		e.t.Leaving = append(e.t.Leaving, Leaving{Port: port, Hypervisor: host, Returns: e.out[place.Name], Lost: e.Existing.isLost(place.Name),
			Destroy: e.Leave.destroys(place.Name, e.Cluster.Name) || e.Existing.isLost(place.Name), long: place.Long})
	}
	slices.SortFunc(e.t.Leaving, func(a, b Leaving) int { return strings.Compare(a.Name, b.Name) })
}

// stay leaves the nodes of a pool where they are: all that exist, or, to spread the pool
// again, an equal share on each hypervisor.
func (e *expansion) stay(s *spread) {
	share := newShares(len(s.nodes), s.on)
	for _, own := range s.own {
		if at := slices.Index(e.load.names, own.Hypervisor); at >= 0 {
			share.taken[at]++
		}
	}
	for i, at := range s.nodes {
		node := &e.t.Nodes[at]
		is := slices.Index(e.load.names, e.Existing.home(node.Name))
		if is < 0 || s.own[i].Hypervisor != "" {
			continue
		}
		if !e.Rebalance || slices.Contains(s.on, is) && share.take(is) {
			node.Hypervisor = e.load.names[is]
			e.load.keep(*node, s.placed)
		}
	}
}

// place chooses the hypervisors of a pool's other nodes.
func (e *expansion) place(s spread) {
	for i, at := range s.nodes {
		node := &e.t.Nodes[at]
		if node.Hypervisor != "" {
			continue
		}
		e.Tell(e.load.place(node, s.on, s.placed, s.own[i]))
	}
}

// moves lists the nodes that leave a hypervisor, and refuses those that are on two hypervisors
// if it is not said which one they stay on.
func (e *expansion) moves() {
	for _, n := range e.t.Nodes {
		on := e.Existing.on[n.Name]
		switch from := e.Existing.host(n.Name); {
		case n.Hypervisor == "", from == "", slices.Contains(on, n.Hypervisor) && e.chosen(n):
		case len(on) > 1 && !e.chosen(n):
			e.Tell(diag.List{e.twice(n, on)})
		case from != n.Hypervisor:
			e.t.Moves = append(e.t.Moves, Move{Node: n.Name, From: from, To: n.Hypervisor})
		}
	}
}

// twice is the error for a node that several hosts have. The copy that is known to have the data comes first.
func (e *expansion) twice(n Node, on []string) diag.Diagnostic {
	if one, other := e.Existing.sameAddress(on); one != "" {
		return diag.Diagnostic{Summary: "Same machine twice", Subject: &e.Cluster.Range, Cause: ErrExisting,
			Detail: fmt.Sprintf("The names %q and %q have the same address and port in the inventory, so the node %q seems to exist twice. Nothing was changed. Leave out %q, in --hosts and in the pools.", one, other, n.Name, other)}
	}
	oldest := e.Existing.oldest(n.Name)
	if oldest != "" {
		on = append([]string{oldest}, slices.DeleteFunc(slices.Clone(on), func(host string) bool { return host == oldest })...)
	}
	ways := lists.Map(on, func(stays string) string {
		others := slices.DeleteFunc(slices.Clone(on), func(host string) bool { return host == stays })
		return fmt.Sprintf("to keep the one on %s, give --set node.%s.hypervisor=%s --remove %s", stays, n.Short, stays,
			strings.Join(lists.Map(others, func(host string) string { return event.CopyOn(n.Short, host) }), ","))
	})
	which := "kinit does not know which copy has the data: look at them first."
	if oldest != "" {
		which = fmt.Sprintf("The copy on %s is the older one, with the data from before; kinit created the one on %s empty, while the cluster was without %s.", oldest, strings.Join(on[1:], " and on "), oldest)
	}
	return diag.Diagnostic{Summary: "Node exists twice", Subject: &e.Cluster.Range, Cause: ErrExisting,
		Detail: fmt.Sprintf("The node %q is on %s, each with its address and its MAC. Nothing was changed. %s Say which one stays: %s. Clean-up removes the other with its data.", n.Name, strings.Join(on, " and on "), which, strings.Join(ways, "; "))}
}

// chosen reports whether a node has a hypervisor of its own.
func (e *expansion) chosen(n Node) bool {
	return e.Cluster.Nodes[n.Short].Hypervisor != "" || e.Cluster.Nodes[n.Name].Hypervisor != ""
}

// machines makes the nodes of a pool of existing machines.
func (e *expansion) machines(p Pool) {
	for i, name := range p.Hosts {
		host := e.Inventory.Host(name)
		switch {
		case host == nil:
			e.Errorf(p.named, "Unknown host", "The pool %q names the machine %q, which is in no inventory.%s", p.Name, name, diag.Near(name, e.Inventory.HostNames()))
			continue
		case slices.Contains(e.load.names, name):
			e.Errorf(p.named, "Conflicting roles", "The machine %q is a node of pool %q and a hypervisor of this run, whose services would take the node's ports. Name the hypervisors by --hosts without it, or leave it out of the pool.", name, p.Name)
			continue
		case e.pools[name] != "":
			e.Errorf(p.named, "Duplicate machine", "The machine %q is in pool %q already. Name it once.", name, e.pools[name])
			continue
		}
		port, problem := e.ids.nodePort(p, host, e.Existing.node(name))
		if problem != "" {
			e.Errorf(p.named, "No address", "The machine %q %s. Say in its inventory by which one the other nodes reach it, as in vars = { %s = \"192.0.2.5\" }.", name, problem, addressVar)
			continue
		}
		system, problem := nodeSystem(p, host)
		if problem != "" {
			e.Errorf(p.named, "Another system", "The machine %q %s. Name another machine, or leave os out where the pool may have machines of any system.", name, problem)
			continue
		}
		if p.Overlay && isWindows(system) {
			e.Errorf(p.overlaid, "Not possible yet", "The machine %q of pool %q runs %s, and kinit takes machines with Linux alone onto the overlay. Name it in a pool without overlay: it is reached beside the overlay then.", name, p.Name, system)
			continue
		}
		e.pools[name] = p.Name
		if slices.Contains(e.Leave.Nodes, name) && e.leavesAndReturns(p, port) {
			continue
		}
		node := Node{
			Port: port, Short: name, Pool: p.Name, Driver: p.Driver, Overlay: p.Overlay, Index: i, UUID: id(e.t.Cluster.Name, "machine", name),
			VCPUs: p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: system, Vars: maps.Clone(p.Vars), machine: e.Existing.recordedAs(name),
		}
		if own := e.settle(&node); own.Hypervisor != "" {
			e.Errorf(own.placed, "Conflicting arguments", "The node %q is a machine that exists already and runs on no hypervisor: leave hypervisor out.", name)
		}
		e.t.Nodes = append(e.t.Nodes, node)
	}
}

// leavesAndReturns lets the node of a machine leave that was reinstalled since it joined. After an
// interrupt it may have left already. Of other machines it reports an error and returns false.
func (e *expansion) leavesAndReturns(p Pool, port Port) bool {
	place := e.Existing.node(port.Name)
	if !place.Away && !e.Existing.exchanged(port.Name) {
		e.Errorf(p.named, "Not possible", "The node %q is a machine that exists already, and it was not reinstalled: it answers with the recorded machine-id, or has none to compare. kinit does not recreate such machines. To take it out of the cluster, leave it out of the pool.", port.Name)
		return false
	}
	e.out[port.Name] = true
	delete(e.unused, port.Name)
	if place.Away {
		return true
	}
	if p.Overlay {
		port.IP = place.IP
	}
	e.t.Leaving = append(e.t.Leaving, Leaving{Port: port, Returns: true, Lost: true, Destroy: true})
	return true
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
	names := lists.Map(e.t.Nodes, func(n Node) string { return n.Name })
	for _, name := range slices.Sorted(maps.Keys(e.unused)) {
		e.Errorf(e.unused[name].Range, "Unknown node", "The cluster has no node %q. Its nodes are %s.", name, strings.Join(names, ", "))
	}
}

// pods makes the pods, each on its own hypervisor, on the one that it is on already, or on that
// after the one before. Replicas of a pod are on hypervisors that have no other one of it.
func (e *expansion) pods() {
	at := -1
	for i, p := range e.t.Cluster.Pods {
		if p.Count > len(e.load.names) {
			e.Errorf(p.counted, "Too few hypervisors", "The pod %q has count = %d, each on a hypervisor of its own, and the run has %s: %s. Name more hosts with --hosts, or give it a lower count.",
				p.Name, p.Count, count(len(e.load.names), "host"), strings.Join(e.load.names, ", "))
			continue
		}
		named := slices.Index(e.load.names, p.Hypervisor)
		if p.Hypervisor != "" && named < 0 {
			e.Tell(e.load.unknown(p.Hypervisor, p.placed, fmt.Sprintf("The pod %q runs", p.Name)))
			continue
		}
		all := e.replicas(fmt.Sprintf("%s-pod-%02d", e.t.Cluster.Name, i+1), p.Count, named, at+1)
		at = slices.Index(e.load.names, all[0].Hypervisor)
		pod := all[0]
		pod.Replicas = all[1:]
		pod.Leaving = e.leavingPods(pod)
		e.t.Pods = append(e.t.Pods, pod)
	}
}

// replicas makes a pod and its replicas. One that exists stays where it is, and if none is on the
// named hypervisor, the first one is made there. The others go to the next free hypervisors.
func (e *expansion) replicas(name string, count, named, next int) []Pod {
	pods, taken := make([]Pod, count), make([]bool, len(e.load.names))
	for i := range pods {
		full := name
		if i > 0 {
			full = fmt.Sprintf("%s-%02d", name, i+1)
		}
		place := e.Existing.pod(full)
		pods[i].Port = e.ids.port(full, place)
		if is := slices.Index(e.load.names, place.Hypervisor); is >= 0 && !taken[is] {
			pods[i].Hypervisor, taken[is] = place.Hypervisor, true
		}
	}
	if named >= 0 && !taken[named] {
		if was := slices.Index(e.load.names, pods[0].Hypervisor); was >= 0 {
			taken[was] = false
		}
		pods[0].Hypervisor, taken[named] = e.load.names[named], true
	}
	for i := range pods {
		if pods[i].Hypervisor != "" {
			next = slices.Index(e.load.names, pods[i].Hypervisor) + 1
			continue
		}
		for taken[next%len(taken)] {
			next++
		}
		taken[next%len(taken)] = true
		pods[i].Hypervisor = e.load.names[next%len(taken)]
		next++
	}
	return pods
}

// leavingPods lists the hypervisors that have a recorded replica of a pod and are to have none.
func (e *expansion) leavingPods(p Pod) (hosts []string) {
	if e.Recreate {
		return nil
	}
	for _, place := range e.Existing.record.Pods {
		further := strings.HasPrefix(place.Name, p.Name+"-")
		if further && slices.Contains(e.load.names, place.Hypervisor) && !slices.Contains(p.on(), place.Hypervisor) {
			hosts = append(hosts, place.Hypervisor)
		}
	}
	return hosts
}

// ports lists everything that has an address, in the order of addresses given.
func (t *Topology) ports() []*Port {
	var all []*Port
	for i := range t.Nodes {
		all = append(all, &t.Nodes[i].Port)
	}
	for i := range t.Pods {
		all = append(all, &t.Pods[i].Port)
		for j := range t.Pods[i].Replicas {
			all = append(all, &t.Pods[i].Replicas[j].Port)
		}
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
	if len(twice) > 0 {
		slices.Sort(twice)
		e.Errorf(e.t.Cluster.Range, "Duplicate name", "More than one node, pod or hypervisor would be named %s. Give a pool another name.",
			strings.Join(slices.Compact(twice), ", "))
	}
	for _, n := range e.t.Nodes {
		if !label.MatchString(n.Name) {
			e.Errorf(e.t.Cluster.Range, "Invalid name", "%q is no host name: it has lower case letters, digits and - only, and 63 at most.", n.Name)
		}
	}
}
