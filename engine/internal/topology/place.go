package topology

import (
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// load is the load of each hypervisor.
type load struct {
	names  []string
	memory []int64 // bytes
}

func newLoad(hosts []*inventory.Host) *load {
	l := &load{memory: make([]int64, len(hosts))}
	for _, h := range hosts {
		l.names = append(l.names, h.Name)
	}
	return l
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
			diags = append(diags, diag.Errorf(&p.Pinned, "Unknown hypervisor", "The nodes of pool %q may run on %q, which is not among the selected hosts.%s",
				p.Name, name, diag.Near(name, l.names))...)
		}
	}
	return on, diags
}

// place chooses the hypervisor of a pool's next node: the one with the fewest
// nodes of the pool, then with the least memory placed, then the first.
func (l *load) place(p Pool, on []int, placed map[int]int) string {
	best := slices.MinFunc(on, func(a, b int) int {
		if placed[a] != placed[b] {
			return placed[a] - placed[b]
		}
		return int(min(max(l.memory[a]-l.memory[b], -1), 1))
	})
	placed[best]++
	l.memory[best] += p.Memory.Bytes
	return l.names[best]
}
