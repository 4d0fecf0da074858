package graph

import (
	"fmt"
	"slices"
	"strings"
)

// CycleError names keys that depend on themselves: one cycle for each group of
// keys that all depend on each other. A cycle starts at its smallest key, by text;
// each key depends on the next one, and the last on the first.
type CycleError[K comparable] struct{ Cycles [][]K }

// Error names each cycle with all its edges.
func (e *CycleError[K]) Error() string {
	lines := make([]string, len(e.Cycles))
	for i, cycle := range e.Cycles {
		var text strings.Builder
		for _, key := range cycle {
			fmt.Fprintf(&text, "%v → ", key)
		}
		fmt.Fprintf(&text, "%v", cycle[0])
		lines[i] = text.String()
	}
	return "cycle: " + strings.Join(lines, "; ")
}

// Validate returns a *CycleError when keys depend on themselves.
func (g *Graph[K]) Validate() error {
	back := &Graph[K]{keys: g.keys, index: g.index, needs: g.users, users: g.needs}
	done := map[K]bool{} // keys that are on no cycle, or in a group whose cycle is found
	for _, key := range slices.Concat(g.Order(), back.Order()) {
		done[key] = true
	}
	suspects := slices.DeleteFunc(g.Keys(), func(key K) bool { return done[key] })
	slices.SortFunc(suspects, func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	var cycles [][]K
	for _, first := range suspects {
		if done[first] {
			continue
		}
		cycle := g.cycle(g.index[first])
		if cycle == nil {
			continue // it is between two groups
		}
		cycles = append(cycles, g.named(cycle))
		users := back.Closure(first)
		for key := range g.Closure(first) {
			done[key] = done[key] || users[key]
		}
	}
	if len(cycles) == 0 {
		return nil
	}
	return &CycleError[K]{Cycles: cycles}
}

// cycle returns the shortest cycle through a key, or nil if the key is on none.
func (g *Graph[K]) cycle(first int) []int {
	cameFrom := map[int]int{}
	for todo := []int{first}; len(todo) > 0; todo = todo[1:] {
		for _, need := range g.needs[todo[0]] {
			if need == first {
				return path(cameFrom, first, todo[0])
			}
			if _, seen := cameFrom[need]; !seen {
				cameFrom[need] = todo[0]
				todo = append(todo, need)
			}
		}
	}
	return nil
}

func path(cameFrom map[int]int, first, last int) []int {
	way := []int{last}
	for last != first {
		last = cameFrom[last]
		way = append(way, last)
	}
	slices.Reverse(way)
	return way
}
