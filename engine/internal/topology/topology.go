// Package topology computes the parts of a cluster: its nodes, where they run, and their
// names, addresses and ids. What the hosts have of the cluster already keeps its place; the
// same block, the same hosts and the same existing parts give the same result everywhere.
package topology

import (
	"net/netip"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/event"
)

// Cluster is a cluster block with its expressions evaluated.
type Cluster struct {
	Name        string
	Domain      string        // "<name>.kinit.local" by default
	Hypervisors int           // the least number of hosts, 1 by default
	Pods        []PodSettings // one without a name by default
	Network     Network
	Pools       []Pool
	Nodes       map[string]NodeSettings // by the name of the node, with or without the cluster's
	Driver      string                  // of pools that name none; empty if the playbook has no drivers
	Formerly    string                  // the name that older versions of the spec gave the cluster; empty without one
	Vars        map[string]cty.Value    // for playbooks; the engine does not read them
	Range       hcl.Range
}

// Network is a cluster's network. Offsets count addresses from the start of the network, or
// from its end if they are negative, as in cidrhost.
type Network struct {
	Prefix        netip.Prefix // 10.0.0.0/24 by default
	NodeOffset    int          // the first node's, counting up; 1 by default
	GatewayOffset int          // -2 by default
	PodOffset     int          // the first pod's, counting down, -3 by default; hypervisors follow
	Range         hcl.Range    // zero when the block is absent
}

// PodSettings is what a pod is described by.
type PodSettings struct {
	Name       string // for settings of the command line; may be empty
	Hypervisor string // of one of them; empty means the one after that of the pod before
	Count      int    // how many of it there are, each on a hypervisor of its own; 1 by default

	placed  hcl.Range // the place of Hypervisor
	counted hcl.Range // the place of Count
}

// NodeSettings is what one node has in place of what its pool says.
type NodeSettings struct {
	Hypervisor string // empty means that kinit chooses
	VCPUs      *int
	Memory     *Size
	Disk       *Size
	Vars       map[string]cty.Value // added to those of the pool
	Range      hcl.Range

	placed hcl.Range // the place of Hypervisor
}

// Size is a number of bytes and its text.
type Size struct {
	Text  string // such as "4GiB"
	Bytes int64
}

// Pool is a set of similar nodes.
type Pool struct {
	Name        string
	Driver      string
	Count       int      // 1 by default; of a pool with Hosts, their number
	Hosts       []string // existing machines, by their names in the inventory
	Overlay     bool     // its Hosts are on the cluster's network; nodes made by a driver always are
	VCPUs       int      // 2 by default
	Memory      Size
	Disk        Size
	OS          string
	Pattern     string    // of the nodes' names, with one %d or %02d; empty means "<cluster>-<pool>-%02d"
	Hypervisors []string  // where its nodes may run, empty means everywhere
	Pinned      hcl.Range // the place of Hypervisors
	Vars        map[string]cty.Value
	Range       hcl.Range

	named    hcl.Range // the place of Hosts
	overlaid hcl.Range // the place of Overlay

	saysOS bool // the pool sets its OS; it is no default
}

// Topology holds the parts of a cluster.
type Topology struct {
	Cluster     Cluster
	ID          string // a UUID
	Gateway     netip.Addr
	Nodes       []Node // by pool, in the order of the pools, and by index
	Pods        []Pod
	Hypervisors []Hypervisor
	Moves       []Move            // of nodes that exist
	Leaving     []Leaving         // by name
	Removals    []event.Removal   // of all that exists and is not in the topology, or elsewhere
	Known       []string          // what can be named: nodes, pods and hypervisors, of the record and the hosts too; sorted
	KnownNodes  []string          // the nodes of these
	NodePorts   map[string]string // nodes of the topology and the hosts, by the name of their port on the overlay
	Existing    []string          // nodes that the record already has and that stay where they are
	Leads       map[string]string // the node that leads a pool, by the pool's name
	Record      string            // what hypervisors keep of this topology
	Restore     Restoring
	Left        string // what they keep when all that leaves has left

	Instance string // the id of the cluster's instance

	fixed      map[string]string // what the playbook says is fixed, for the record
	rebuilt    string            // the id of the run that has rebuilt the cluster last, for the record
	identities map[string]string // the recorded machine-ids, by the names of machines
}

// Restoring is what a restore means for the nodes.
type Restoring struct {
	ID       string            // of the backup; empty if the run restores none
	Begun    string            // the id of the backup whose restore has begun and has not ended
	Recreate []string          // nodes that clean-up removes first, because this restore has not begun
	Machines []string          // nodes of the pool that are existing machines, which are never recreated
	There    map[string]string // the nodes that hosts have, and the first host that has each
	Destroy  []string          // those of the pool that may be removed with what they have
}

// Place returns the hypervisor of a node, or "".
func (t *Topology) Place(node string) string {
	i := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Name == node })
	if i < 0 {
		return ""
	}
	return t.Nodes[i].Hypervisor
}

// Move is a node that is on one hypervisor and is to be on another one.
type Move struct{ Node, From, To string }

// Leaving is a node that exists and leaves the cluster.
type Leaving struct {
	Port
	Hypervisor string // empty of a machine that was reinstalled
	Returns    bool   // its place is kept for a later run, which recreates it
	Lost       bool   // its hypervisor does not come back, or the machine was reinstalled
	Destroy    bool   // it leaves even if data is lost with it

	long string // the name that Name shortens; empty if it shortens none
}

// Node is a guest or an existing machine. A machine has its inventory's name and no
// hypervisor; outside of the cluster's network its port has only its inventory's address.
type Node struct {
	Port              // its Name is the host's name, such as shop-web-01
	Short      string // without the cluster's name, such as web-01
	Pool       string
	Driver     string
	Overlay    bool   // it is on the cluster's network
	Index      int    // in the pool, from 0
	UUID       string // of the machine
	Hypervisor string
	VCPUs      int
	Memory     Size
	Disk       Size
	OS         string
	Vars       map[string]cty.Value

	long    string // the name that Name shortens; empty if it shortens none
	machine string // the machine-id of a machine that exists, for the record; empty if it is not known
}

// Pod is a pod with an address on the cluster's network.
type Pod struct {
	Port
	Hypervisor string
	Address    netip.Addr // by which others find it: its own, or, as soon as it has had replicas, one that any of them can have
	Replicas   []Pod      // the further ones of a pod that there are several of; they have no Address
	Leaving    []string   // hypervisors that have a replica which leaves, and none that stays
}

// on lists the hypervisors of a pod and its replicas.
func (p Pod) on() []string {
	hosts := []string{p.Hypervisor}
	for _, r := range p.Replicas {
		hosts = append(hosts, r.Hypervisor)
	}
	return hosts
}

// Split returns those of the pod's hypervisors that are among some hosts, and the others.
func (p Pod) Split(hosts []string) (among, others []string) {
	for _, name := range p.on() {
		if slices.Contains(hosts, name) {
			among = append(among, name)
		} else {
			others = append(others, name)
		}
	}
	return among, others
}

// Port is a place on the cluster's network.
type Port struct {
	Name   string
	IP     netip.Addr
	MAC    string
	PortID string // a UUID
}

// Hypervisor is a host that runs nodes.
type Hypervisor struct {
	Name       string
	Address    string
	Index      int // in their order, from 0
	Vars       map[string]cty.Value
	Management Port

	machine string // its machine-id for the record; empty if it is not known
}
