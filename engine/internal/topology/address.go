package topology

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// address assigns all addresses: the gateway first, then nodes upwards, then pods and after
// them the hypervisors downwards.
func (t *Topology) address() diag.List {
	n := t.Cluster.Network
	if diags := t.tooSmall(); diags.HasErrors() {
		return diags
	}
	a := &addresses{cluster: &t.Cluster, owner: map[int]string{}}
	t.Gateway = a.take("the gateway", n.offset(n.GatewayOffset))
	up := n.offset(n.NodeOffset)
	for i := range t.Nodes {
		if t.Nodes[i].Overlay {
			t.Nodes[i].IP = a.take(t.Nodes[i].Name, up)
			up++
		}
	}
	down := n.offset(n.PodOffset)
	for i := range t.Pods {
		t.Pods[i].IP = a.take(t.Pods[i].Name, down-i)
	}
	for i := range t.Hypervisors {
		t.Hypervisors[i].Management.IP = a.take("the hypervisor "+t.Hypervisors[i].Name, down-len(t.Pods)-i)
	}
	return a.diags
}

// offset converts an offset from the end to one from the start.
func (n Network) offset(from int) int {
	if from < 0 {
		return from + n.total()
	}
	return from
}

// total returns the number of addresses, including the network's own and the broadcast
// address.
func (n Network) total() int { return 1 << (32 - n.Prefix.Bits()) }

// tooSmall reports a network that is too small for any offsets.
func (t *Topology) tooSmall() diag.List {
	n := t.Cluster.Network
	nodes := 0
	for _, node := range t.Nodes {
		if node.Overlay {
			nodes++
		}
	}
	have, need := n.total()-2, nodes+len(t.Pods)+len(t.Hypervisors)+1
	if need <= have {
		return nil
	}
	return diag.Errorf(t.Cluster.place(), "Network too small", "The network %s has %d addresses, and %s, %s, %s and the gateway need %d. Give it a shorter prefix.",
		n.Prefix, have, count(nodes, "node"), count(len(t.Pods), "pod"), count(len(t.Hypervisors), "hypervisor"), need)
}

// addresses assigns addresses by their offset.
type addresses struct {
	cluster *Cluster
	owner   map[int]string
	diags   diag.List // of one overlap: the others follow from it
}

func (a *addresses) take(who string, offset int) netip.Addr {
	n := a.cluster.Network
	if offset < 1 || offset > n.total()-2 {
		a.tell("%s would be outside of the network %s", who, n.Prefix)
		return netip.Addr{}
	}
	start := n.Prefix.Addr().As4()
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], binary.BigEndian.Uint32(start[:])+uint32(offset))
	addr := netip.AddrFrom4(bytes)
	if other := a.owner[offset]; other != "" {
		a.tell("%s would have the address %s, which is that of %s", who, addr, other)
		return addr
	}
	a.owner[offset] = who
	return addr
}

func (a *addresses) tell(format string, args ...any) {
	if a.diags.HasErrors() {
		return
	}
	text := fmt.Sprintf(format, args...)
	a.diags = diag.Errorf(a.cluster.place(), "Addresses overlap", "By the offsets of the network, %s. Change node_offset, gateway_offset or pod_offset.", text)
}

// place returns the place of the network block, or of the cluster block without one.
func (c *Cluster) place() *hcl.Range {
	if c.Network.Range.Filename != "" {
		return &c.Network.Range
	}
	return &c.Range
}

// count formats a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
