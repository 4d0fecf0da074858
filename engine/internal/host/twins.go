package host

import (
	"context"
	"slices"
	"sync"
)

// Twins returns the names that lead to the same machine, in groups. It asks only connected
// machines that have shown the same host key, so different machines cost nothing.
func (c *Connections) Twins(ctx context.Context) [][]string {
	var all sync.WaitGroup
	var mu sync.Mutex
	found := map[Self][]string{}
	for _, alike := range c.alike() {
		if len(alike) < 2 {
			continue
		}
		for name, m := range alike {
			all.Go(func() {
				self, err := m.Self(ctx)
				if err != nil || self.ID == "" || self.Boot == "" {
					return // it cannot be told
				}
				mu.Lock()
				defer mu.Unlock()
				found[self] = append(found[self], name)
			})
		}
	}
	all.Wait()
	var twins [][]string
	for _, names := range found {
		if slices.Sort(names); len(names) > 1 {
			twins = append(twins, names)
		}
	}
	slices.SortFunc(twins, slices.Compare)
	return twins
}

// alike returns a connected machine for each name, by host keys. Connections without one are left out.
func (c *Connections) alike() map[string]map[string]*Machine {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]map[string]*Machine{}
	for _, m := range c.made {
		shows, ok := m.conn.(interface{ HostKey() string })
		if !ok || shows.HostKey() == "" {
			continue
		}
		key := shows.HostKey()
		if all[key] == nil {
			all[key] = map[string]*Machine{}
		}
		all[key][m.name] = m
	}
	return all
}
