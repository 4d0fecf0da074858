package draw

import (
	"cmp"
	"slices"
)

// Reduced leaves out arrows that are there twice, and those that follow from
// others: of a → b → c and a → c the last. Arrows on a cycle stay, which folding can
// make of a plan that has none.
func Reduced(boxes int, arrows []Arrow) []Arrow {
	arrows = slices.Clone(arrows)
	slices.SortFunc(arrows, func(a, b Arrow) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	arrows = slices.Compact(arrows)
	reaches := reach(boxes, arrows)
	next := successors(boxes, arrows)
	return slices.DeleteFunc(arrows, func(a Arrow) bool {
		for _, between := range next[a.From] {
			if between != a.To && reaches[between].has(a.To) && !reaches[between].has(a.From) && !reaches[a.To].has(between) {
				return true
			}
		}
		return false
	})
}

func successors(boxes int, arrows []Arrow) [][]int {
	next := make([][]int, boxes)
	for _, a := range arrows {
		next[a.From] = append(next[a.From], a.To)
	}
	return next
}

// reach says for each box which others its arrows lead to, in one step or more.
func reach(boxes int, arrows []Arrow) []set {
	next := successors(boxes, arrows)
	all := make([]set, boxes)
	for from := range boxes {
		all[from] = make(set, (boxes+63)/64)
		todo := slices.Clone(next[from])
		for len(todo) > 0 {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !all[from].has(i) {
				all[from].add(i)
				todo = append(todo, next[i]...)
			}
		}
	}
	return all
}

// set is a set of indices, a bit each: plans of thousands of tasks have millions of
// pairs.
type set []uint64

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
