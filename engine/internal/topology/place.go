package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/lists"
)

// load is the load of each hypervisor.
type load struct {
	names  []string
	memory []int64 // bytes
}

func newLoad(hosts []*inventory.Host) *load {
	names := lists.Map(hosts, func(h *inventory.Host) string { return h.Name })
	return &load{names: names, memory: make([]int64, len(hosts))}
}

// allowed lists the hypervisors that a pool's nodes may run on, by their index.
func (l *load) allowed(p Pool) ([]int, diag.List) {
	var on []int
	var diags diag.List
	for i, name := range l.names {
		if len(p.Hypervisors) == 0 || slices.Contains(p.Hypervisors, name) {
			on = append(on, i)
		}
	}
	for _, name := range p.Hypervisors {
		if !slices.Contains(l.names, name) {
			diags = append(diags, l.unknown(name, p.Pinned, fmt.Sprintf("The nodes of pool %q may run", p.Name))...)
		}
	}
	return on, diags
}

// UnknownHypervisor is the summary of an error about a place on a host that the run does not have.
const UnknownHypervisor = "Unknown hypervisor"

// unknown returns the error of a hypervisor that is not selected.
func (l *load) unknown(name string, at hcl.Range, who string) diag.List {
	return diag.Errorf(&at, UnknownHypervisor, "%s on %q, which is not among the selected hosts.%s", who, name, diag.Near(name, l.names))
}

// keep counts a node that stays on its hypervisor.
func (l *load) keep(n Node, placed map[int]int) {
	at := slices.Index(l.names, n.Hypervisor)
	placed[at]++
	l.memory[at] += n.Memory.Bytes
}

// place chooses the hypervisor of a pool's next node: the node's own, or else the one of
// those in on with the fewest nodes of the pool, then with the least memory placed, then
// the first.
func (l *load) place(n *Node, on []int, placed map[int]int, own NodeSettings) diag.List {
	if own.Hypervisor != "" {
		named := slices.Index(l.names, own.Hypervisor)
		if named < 0 {
			return l.unknown(own.Hypervisor, own.placed, fmt.Sprintf("The node %q runs", n.Name))
		}
		on = []int{named}
	}
	best := slices.MinFunc(on, func(a, b int) int {
		return cmp.Or(placed[a]-placed[b], cmp.Compare(l.memory[a], l.memory[b]))
	})
	n.Hypervisor = l.names[best]
	l.keep(*n, placed)
	return nil
}

// shares is how many nodes of a pool each of its hypervisors keeps when the pool is
// rebalanced, so that as few nodes as possible move.
type shares struct {
	each  int // on every hypervisor
	extra int // on how many hypervisors one more is kept
	taken map[int]int
}

func newShares(nodes int, on []int) shares {
	return shares{each: nodes / len(on), extra: nodes % len(on), taken: map[int]int{}}
}

// take reports whether a node may stay on a hypervisor, and counts it there.
func (s *shares) take(at int) bool {
	switch {
	case s.taken[at] < s.each:
	case s.taken[at] == s.each && s.extra > 0:
		s.extra--
	default:
		return false
	}
	s.taken[at]++
	return true
}
