package graph

import (
	"container/heap"
	"context"
	"sort"
	"sync"
)

// Status is how a key ended.
type Status int

// The ways in which a key ends.
const (
	Done      Status = iota // visited, without error
	Failed                  // visited, with an error
	Skipped                 // not visited: something it depends on failed
	Cancelled               // not visited: the context ended first
)

// Outcome is how one key ended.
type Outcome[K comparable] struct {
	Key    K
	Status Status
	Err    error // of Failed
	Cause  K     // of Skipped: the failed key at the root; with several, the first that failed
}

// Visitor holds the functions of a walk.
type Visitor[K comparable] struct {
	// Visit does one key. Its error leaves everything that depends on the key
	// unvisited.
	Visit func(ctx context.Context, key K) error
	// Limit, if set, returns the group of a key, and how many keys of the group are visited
	// at the same time; 0 means any number.
	Limit func(key K) (group string, most int)
	// Skipped, if set, is called for a key that is not visited because a dependency failed,
	// before the keys that follow it are visited. It is called by one goroutine at a time
	// and must not block.
	Skipped func(key, cause K)
}

// Walk visits every key after what it depends on or follows, at most limit at a
// time (at least one), besides those that are Aside. A key whose visit fails leaves
// everything that depends on it unvisited. When ctx ends no further visit starts, and
// Walk waits for those that run. The outcomes are in the order of Keys. Keys on a cycle
// end as Cancelled: call Validate first.
func (g *Graph[K]) Walk(ctx context.Context, limit int, visitor Visitor[K]) []Outcome[K] {
	w := &walker[K]{graph: g, visitor: visitor, ctx: ctx, limits: limits{map[string]int{}, map[string]*queue{}}}
	w.limit, w.changed = max(limit, 1), sync.NewCond(&w.mu)
	w.ready, w.waiting = g.start()
	for _, key := range g.keys {
		w.outcomes = append(w.outcomes, Outcome[K]{Key: key, Status: Cancelled})
	}
	stop := context.AfterFunc(ctx, w.wake)
	defer stop()
	inside := context.WithValue(ctx, slotsKey{}, &w.slots)
	var visits sync.WaitGroup
	for i, ok := w.next(); ok; i, ok = w.next() {
		visits.Go(func() { w.finish(i, visitor.Visit(inside, g.keys[i])) })
	}
	visits.Wait()
	return w.outcomes
}

// walker is the state of one walk.
type walker[K comparable] struct {
	graph    *Graph[K]
	visitor  Visitor[K]
	ctx      context.Context
	slots    // of the visits; its lock is held for all of these
	ready    queue
	limits   limits
	waiting  []int // how many keys a key waits for
	running  int   // visits, Aside or not
	outcomes []Outcome[K]
}

// next waits for a key to visit. It returns false when there will be none.
func (w *walker[K]) next() (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.hold(); w.ctx.Err() == nil && (w.ready.Len() == 0 && w.running > 0 || w.ready.Len() > 0 && !w.free()); w.hold() {
		w.changed.Wait()
	}
	if w.ready.Len() == 0 || w.ctx.Err() != nil {
		return 0, false
	}
	w.running++
	w.busy++
	i := heap.Pop(&w.ready).(int)
	if group, most := w.group(i); most > 0 {
		w.limits.visited[group]++
	}
	return i, true
}

// finish records how a visit ended and makes the keys that waited for it ready.
func (w *walker[K]) finish(i int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.busy--
	w.leaveGroup(i)
	w.changed.Broadcast()
	w.outcomes[i].Status = Done
	if err != nil {
		w.outcomes[i].Status, w.outcomes[i].Err = Failed, err
		w.skipUsers(i)
	}
	w.end(i)
}

// end makes the keys that waited for a key ready. Keys to skip end in turn.
func (w *walker[K]) end(ended int) {
	for todo := []int{ended}; len(todo) > 0; todo = todo[1:] {
		for _, user := range w.graph.users[todo[0]] {
			if w.waiting[user]--; w.waiting[user] > 0 {
				continue
			}
			if w.outcomes[user].Status != Skipped {
				heap.Push(&w.ready, user)
				continue
			}
			if w.visitor.Skipped != nil {
				w.visitor.Skipped(w.graph.keys[user], w.outcomes[user].Cause)
			}
			todo = append(todo, user)
		}
	}
}

// skipUsers marks everything that depends on a failed key. None of it can be
// ready: it still waits for the key or for something that is marked too.
func (w *walker[K]) skipUsers(failed int) {
	for todo := []int{failed}; len(todo) > 0; todo = todo[1:] {
		for _, user := range w.graph.users[todo[0]] {
			if w.outcomes[user].Status == Skipped || !w.graph.edges[[2]int{user, todo[0]}] {
				continue
			}
			w.outcomes[user].Status, w.outcomes[user].Cause = Skipped, w.graph.keys[failed]
			todo = append(todo, user)
		}
	}
}

// queue holds indices of keys, the smallest first.
type queue struct{ sort.IntSlice }

func (q *queue) Push(x any) { q.IntSlice = append(q.IntSlice, x.(int)) }
func (q *queue) Pop() any {
	last := q.Len() - 1
	x := q.IntSlice[last]
	q.IntSlice = q.IntSlice[:last]
	return x
}
