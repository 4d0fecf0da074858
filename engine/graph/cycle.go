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
	var cycles [][]K
	for _, group := range g.groups() {
		cycles = append(cycles, g.named(g.cycle(group)))
	}
	if len(cycles) == 0 {
		return nil
	}
	slices.SortFunc(cycles, func(a, b []K) int {
		return strings.Compare(text(a[0]), text(b[0]))
	})
	return &CycleError[K]{Cycles: cycles}
}

func text[K comparable](key K) string { return fmt.Sprint(key) }

// cycle returns the shortest cycle through the smallest key of a group, in which
// every key can be reached from every other.
func (g *Graph[K]) cycle(group []int) []int {
	first := slices.MinFunc(group, func(a, b int) int {
		return strings.Compare(text(g.keys[a]), text(g.keys[b]))
	})
	inGroup := map[int]bool{}
	for _, i := range group {
		inGroup[i] = true
	}
	cameFrom := map[int]int{}
	todo := []int{first}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, need := range g.needs[i] {
			if need == first {
				return path(cameFrom, first, i)
			}
			if _, seen := cameFrom[need]; seen || !inGroup[need] {
				continue
			}
			cameFrom[need] = i
			todo = append(todo, need)
		}
	}
	panic("graph: a group without a cycle; this is a bug in kinit")
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

// groups returns the strongly connected components that have a cycle, found by
// Tarjan's algorithm, without recursion so that a long chain cannot exhaust the stack.
func (g *Graph[K]) groups() [][]int {
	s := components{needs: g.needs, number: make([]int, len(g.keys)), low: make([]int, len(g.keys)), open: make([]bool, len(g.keys))}
	for i := range g.keys {
		if s.number[i] == 0 {
			s.search(i)
		}
	}
	return slices.DeleteFunc(s.found, func(group []int) bool {
		return len(group) == 1 && !slices.Contains(g.needs[group[0]], group[0])
	})
}

// components is the state of Tarjan's algorithm.
type components struct {
	needs  [][]int
	number []int // in the order of discovery, from 1; 0 is not discovered
	low    []int // the smallest number that can be reached
	open   []bool
	stack  []int
	count  int
	found  [][]int
}

// frame is a key whose dependencies are being looked at, the next one at next.
type frame struct{ key, next int }

func (s *components) search(root int) {
	frames := []frame{s.enter(root)}
	for len(frames) > 0 {
		top := &frames[len(frames)-1]
		if top.next < len(s.needs[top.key]) {
			need := s.needs[top.key][top.next]
			top.next++
			if s.number[need] == 0 {
				frames = append(frames, s.enter(need))
			} else if s.open[need] {
				s.low[top.key] = min(s.low[top.key], s.number[need])
			}
			continue
		}
		done := top.key
		frames = frames[:len(frames)-1]
		s.leave(done)
		if len(frames) > 0 {
			user := frames[len(frames)-1].key
			s.low[user] = min(s.low[user], s.low[done])
		}
	}
}

func (s *components) enter(key int) frame {
	s.count++
	s.number[key], s.low[key] = s.count, s.count
	s.open[key] = true
	s.stack = append(s.stack, key)
	return frame{key: key}
}

// leave closes a component when key is the first of it that was discovered.
func (s *components) leave(key int) {
	if s.low[key] != s.number[key] {
		return
	}
	start := slices.Index(s.stack, key)
	group := slices.Clone(s.stack[start:])
	s.stack = s.stack[:start]
	for _, i := range group {
		s.open[i] = false
	}
	s.found = append(s.found, group)
}
