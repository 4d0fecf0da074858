// Package topology computes what a cluster is made of: which nodes there are,
// where they run, and their names, addresses and ids. The same block and hosts
// give the same result everywhere.
package topology

import (
	"net/netip"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Cluster is a cluster block with its expressions evaluated.
type Cluster struct {
	Name        string
	Domain      string // "<name>.kinit.local" by default
	Hypervisors int    // the least number of hosts, 1 by default
	Pods        int    // 1 by default
	Network     Network
	Pools       []Pool
	Driver      string               // of pools that name none; empty when the playbook has no drivers
	Vars        map[string]cty.Value // for playbooks; the engine does not read them
	Range       hcl.Range
}

// Network is a cluster's network. Offsets count addresses from the start of the
// network, or from its end when they are negative, as cidrhost does.
type Network struct {
	Prefix        netip.Prefix // 10.0.0.0/24 by default
	NodeOffset    int          // the first node's, counting up; 1 by default
	GatewayOffset int          // -2 by default
	PodOffset     int          // the first pod's, counting down, -3 by default; hypervisors follow
	Range         hcl.Range    // zero when the block is absent
}

// Pool is a set of like nodes.
type Pool struct {
	Name        string
	Driver      string
	Count       int      // 1 by default; of a pool with Hosts, their number
	Hosts       []string // machines that exist already, by their names in the inventory
	VCPUs       int      // 2 by default
	Memory      Size
	Disk        Size
	OS          string
	Pattern     string    // of the nodes' names, with one %d or %02d; empty means "<cluster>-<pool>-%02d"
	Hypervisors []string  // where its nodes may run, empty means everywhere
	Pinned      hcl.Range // where that is said
	Vars        map[string]cty.Value
	Range       hcl.Range

	named hcl.Range // where its hosts are

	saysOS bool // its OS is the pool's own word and no default
}

// Topology is what a cluster is made of.
type Topology struct {
	Cluster     Cluster
	ID          string // a UUID
	Gateway     netip.Addr
	Nodes       []Node // in the order of their addresses
	Pods        []Pod
	Hypervisors []Hypervisor
}

// Node is a guest, or a machine that exists already. The latter has its inventory's
// name and address and nothing else of a port, and no hypervisor.
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
}

// Pod is a pod with an address on the cluster's network.
type Pod struct {
	Port
	Hypervisor string
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
	Index      int // in the order of the hosts, from 0
	Vars       map[string]cty.Value
	Management Port
}
