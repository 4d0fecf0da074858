// Package graph is a directed graph of things to do, and a walk that does them.
//
// A graph is built first, checked for cycles, and then walked without further changes. The
// package does not know tasks: the caller chooses the type of the keys.
package graph

import (
	"container/heap"
	"slices"
)

// Graph is a set of keys and of edges "from depends on to" or "from follows to".
// The zero value is an empty graph. It must not change while it is walked.
type Graph[K comparable] struct {
	keys  []K
	index map[K]int
	edges map[[2]int]bool // true where the first depends on the second, false where it only follows
	needs [][]int         // needs[i] are the keys that key i depends on or follows
	users [][]int         // users[i] are the keys that depend on key i or follow it
}

// Add adds a key. The order in which keys are added is the order in which they
// are visited, where dependencies leave a choice. Adding twice is fine.
func (g *Graph[K]) Add(key K) { g.add(key) }

// Connect says that from depends on to, and adds both where they are missing. It may be
// called twice.
func (g *Graph[K]) Connect(from, to K) { g.connect(from, to, true) }

// Follow says that from comes after to, however that ends, and adds both where they are
// missing. An existing dependency does not change.
func (g *Graph[K]) Follow(from, to K) { g.connect(from, to, false) }

func (g *Graph[K]) connect(from, to K, depends bool) {
	f, t := g.add(from), g.add(to)
	edge := [2]int{f, t}
	before, known := g.edges[edge]
	g.edges[edge] = before || depends
	if known {
		return
	}
	g.needs[f] = append(g.needs[f], t)
	g.users[t] = append(g.users[t], f)
}

func (g *Graph[K]) add(key K) int {
	if i, ok := g.index[key]; ok {
		return i
	}
	if g.index == nil {
		g.index = map[K]int{}
		g.edges = map[[2]int]bool{}
	}
	i := len(g.keys)
	g.index[key] = i
	g.keys = append(g.keys, key)
	g.needs = append(g.needs, nil)
	g.users = append(g.users, nil)
	return i
}

// Keys returns the keys in the order in which they were added.
func (g *Graph[K]) Keys() []K { return slices.Clone(g.keys) }

// Needs returns what a key depends on or follows directly, in the order it was
// connected.
func (g *Graph[K]) Needs(key K) []K {
	i, ok := g.index[key]
	if !ok {
		return nil
	}
	return g.named(g.needs[i])
}

func (g *Graph[K]) named(indices []int) []K {
	keys := make([]K, len(indices))
	for n, i := range indices {
		keys[n] = g.keys[i]
	}
	return keys
}

// Closure returns those of the keys that the graph has, and everything they
// depend on or follow.
func (g *Graph[K]) Closure(keys ...K) map[K]bool {
	found := map[K]bool{}
	var todo []int
	visit := func(i int) {
		if !found[g.keys[i]] {
			found[g.keys[i]] = true
			todo = append(todo, i)
		}
	}
	for _, key := range keys {
		if i, ok := g.index[key]; ok {
			visit(i)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, need := range g.needs[todo[0]] {
			visit(need)
		}
	}
	return found
}

// Order returns the keys so that each comes after what it depends on or follows,
// and otherwise as they were added. Keys on a cycle, and what depends on them, are
// left out.
func (g *Graph[K]) Order() []K {
	ready, waiting := g.start()
	order := make([]K, 0, len(g.keys))
	for ready.Len() > 0 {
		i := heap.Pop(&ready).(int)
		order = append(order, g.keys[i])
		for _, user := range g.users[i] {
			if waiting[user]--; waiting[user] == 0 {
				heap.Push(&ready, user)
			}
		}
	}
	return order
}

// start returns the keys that depend on nothing, and how many dependencies each
// key waits for.
func (g *Graph[K]) start() (queue, []int) {
	var ready queue
	waiting := make([]int, len(g.keys))
	for i, needs := range g.needs {
		waiting[i] = len(needs)
		if len(needs) == 0 {
			heap.Push(&ready, i)
		}
	}
	return ready, waiting
}
