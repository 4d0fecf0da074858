package graph

import "container/heap"

// limits is how many keys of each group are visited, and which keys wait for the others of
// their group.
type limits struct {
	visited map[string]int
	held    map[string]*queue
}

// group returns the group of a key and its limit, 0 without one.
func (w *walker[K]) group(i int) (string, int) {
	if w.visitor.Limit == nil {
		return "", 0
	}
	return w.visitor.Limit(w.graph.keys[i])
}

// hold takes keys out of the ready ones, until the first of these is in no group that is full.
func (w *walker[K]) hold() {
	for w.ready.Len() > 0 {
		group, most := w.group(w.ready.IntSlice[0])
		if most <= 0 || w.limits.visited[group] < most {
			return
		}
		if w.limits.held[group] == nil {
			w.limits.held[group] = &queue{}
		}
		heap.Push(w.limits.held[group], heap.Pop(&w.ready))
	}
}

// leaveGroup makes the first key ready that waits for another one of its group to end.
func (w *walker[K]) leaveGroup(i int) {
	group, most := w.group(i)
	if most <= 0 {
		return
	}
	w.limits.visited[group]--
	if held := w.limits.held[group]; held != nil && held.Len() > 0 {
		heap.Push(&w.ready, heap.Pop(held))
	}
}
