package topology

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// address assigns all addresses: the gateway first, then those that parts of the cluster
// already have. New nodes get the lowest free ones upwards, new pods and after them new
// hypervisors the highest free ones downwards.
func (t *Topology) address(have Existing) diag.List {
	n := t.Cluster.Network
	if diags := t.tooSmall(have); diags.HasErrors() {
		return diags
	}
	a := &addresses{cluster: &t.Cluster, owner: map[int]string{}, kept: map[int]bool{}, leaving: map[int]bool{}}
	t.Gateway = a.take("the gateway", n.offset(n.GatewayOffset))
	var nodes, others []claim
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Overlay {
			nodes = a.keep(nodes, claim{n.Name, &n.IP}, have.node(n.Name).IP)
		}
	}
	for i := range t.Pods {
		p := &t.Pods[i]
		place := have.pod(p.Name)
		own := place.IP
		switch {
		case place.Address.IsValid():
			others = a.keep(others, claim{"all pods " + p.Name, &p.Address}, place.Address)
		case len(p.Replicas) > 0: // it was the pod's own, by which others find it
			others = a.keep(others, claim{"all pods " + p.Name, &p.Address}, own)
			own = netip.Addr{}
		}
		others = a.keep(others, claim{p.Name, &p.IP}, own)
		for i := range p.Replicas {
			r := &p.Replicas[i]
			others = a.keep(others, claim{r.Name, &r.IP}, have.pod(r.Name).IP)
		}
	}
	for i := range t.Hypervisors {
		h := &t.Hypervisors[i]
		others = a.keep(others, claim{"the hypervisor " + h.Name, &h.Management.IP}, have.hypervisor(h.Name).IP)
	}
	for _, l := range t.Leaving {
		if offset, in := n.offsetOf(l.IP); in && a.owner[offset] == "" {
			a.kept[offset] = true
			a.take(l.Name, offset)
		}
	}
	for _, place := range have.places() {
		for _, ip := range []netip.Addr{place.IP, place.Address} {
			if offset, in := n.offsetOf(ip); in && !a.kept[offset] {
				a.leaving[offset] = true
			}
		}
	}
	a.assign(nodes, n.offset(n.NodeOffset), 1)
	a.assign(others, n.offset(n.PodOffset), -1)
	for i := range t.Pods {
		if p := &t.Pods[i]; !p.Address.IsValid() {
			p.Address = p.IP
		}
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

// offsetOf returns how far an address is from the start of the network, and whether it is one
// that a part of the cluster can have.
func (n Network) offsetOf(address netip.Addr) (int, bool) {
	if !address.Is4() || !n.Prefix.Contains(address) {
		return 0, false
	}
	start, at := n.Prefix.Addr().As4(), address.As4()
	offset := int(binary.BigEndian.Uint32(at[:]) - binary.BigEndian.Uint32(start[:]))
	return offset, offset >= 1 && offset <= n.total()-2
}

// total returns the number of addresses, including the network's own and the broadcast
// address.
func (n Network) total() int { return 1 << (32 - n.Prefix.Bits()) }

// tooSmall reports a network that is too small for any offsets.
func (t *Topology) tooSmall(have Existing) diag.List {
	n := t.Cluster.Network
	nodes := 0
	for _, node := range t.Nodes {
		if node.Overlay {
			nodes++
		}
	}
	leaving := 0
	for _, l := range t.Leaving {
		if _, in := n.offsetOf(l.IP); in {
			leaving++
		}
	}
	pods := 0
	for _, p := range t.Pods {
		pods += 1 + len(p.Replicas)
		if len(p.Replicas) > 0 || have.pod(p.Name).Address.IsValid() {
			pods++ // the address of all of them
		}
	}
	room, need := n.total()-2, nodes+pods+len(t.Hypervisors)+1
	if need <= room && leaving > 0 && need+leaving > room {
		return diag.Errorf(t.Cluster.place(), "Network too small", "The network %s has %d addresses, and %s, %s, %s, the gateway and %s that leave need %d. Give it a shorter prefix, or let nodes leave in a run before.",
			n.Prefix, room, count(nodes, "node"), count(pods, "pod"), count(len(t.Hypervisors), "hypervisor"), count(leaving, "node"), need+leaving)
	}
	if need <= room {
		return nil
	}
	return diag.Errorf(t.Cluster.place(), "Network too small", "The network %s has %d addresses, and %s, %s, %s and the gateway need %d. Give it a shorter prefix.",
		n.Prefix, room, count(nodes, "node"), count(pods, "pod"), count(len(t.Hypervisors), "hypervisor"), need)
}

// addresses assigns addresses by their offset.
type addresses struct {
	cluster *Cluster
	owner   map[int]string
	kept    map[int]bool // of parts that exist
	leaving map[int]bool // of parts that the record has and that are no longer in the cluster
	diags   diag.List    // of one overlap: the others follow from it
}

// claim is an address that is to be assigned, and whose it is.
type claim struct {
	who     string
	address *netip.Addr
}

// keep assigns the address that is recorded, or else adds to the claims. An address of another
// network is not kept.
func (a *addresses) keep(open []claim, c claim, recorded netip.Addr) []claim {
	offset, inside := a.cluster.Network.offsetOf(recorded)
	if !inside || a.kept[offset] {
		return append(open, c)
	}
	a.kept[offset] = true
	*c.address = a.take(c.who, offset)
	return open
}

// assign gives ports the next free addresses. Only where there are no others, it gives those of
// parts that are no longer in the cluster. Nodes that leave have theirs until they have left.
func (a *addresses) assign(claims []claim, offset, step int) {
	for _, c := range claims {
		for a.kept[offset] || a.leaving[offset] {
			offset += step
		}
		inside := offset >= 1 && offset <= a.cluster.Network.total()-2
		if left := slices.Sorted(maps.Keys(a.leaving)); len(left) > 0 && (!inside || a.owner[offset] != "") {
			*c.address = a.take(c.who, left[0])
			delete(a.leaving, left[0])
			continue
		}
		*c.address = a.take(c.who, offset)
		offset += step
	}
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

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
