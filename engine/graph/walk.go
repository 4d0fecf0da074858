package graph

import (
	"container/heap"
	"context"
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

func (s Status) String() string {
	return [...]string{"done", "failed", "skipped", "cancelled"}[s]
}

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

// Walk visits every key after what it depends on or follows, at most workers at a
// time (at least one), besides those that are Aside. A key whose visit fails leaves
// everything that depends on it unvisited. When ctx ends no further visit starts, and
// Walk waits for those that run. The outcomes are in the order of Keys. Keys on a cycle
// end as Cancelled: call Validate first.
func (g *Graph[K]) Walk(ctx context.Context, workers int, visitor Visitor[K]) []Outcome[K] {
	w := g.walker(ctx, max(workers, 1), visitor)
	stop := context.AfterFunc(ctx, w.wake)
	defer stop()
	inside := context.WithValue(ctx, placeKey{}, &w.places)
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
	places   // of the visits; its lock is held for all of these
	ready    queue
	limits   limits
	waiting  []int // how many keys a key waits for
	running  int   // visits, Aside or not
	outcomes []Outcome[K]
}

func (g *Graph[K]) walker(ctx context.Context, workers int, visitor Visitor[K]) *walker[K] {
	w := &walker[K]{graph: g, visitor: visitor, ctx: ctx, outcomes: make([]Outcome[K], len(g.keys))}
	w.places.init(workers)
	w.ready, w.waiting = g.start()
	for i, key := range g.keys {
		w.outcomes[i] = Outcome[K]{Key: key, Status: Cancelled}
	}
	return w
}

func (w *walker[K]) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed.Broadcast()
}

// next waits for a key to visit. It returns false when there will be none.
func (w *walker[K]) next() (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.hold(); w.ctx.Err() == nil && (len(w.ready) == 0 && w.running > 0 || len(w.ready) > 0 && !w.free()); w.hold() {
		w.changed.Wait()
	}
	if len(w.ready) == 0 || w.ctx.Err() != nil {
		return 0, false
	}
	w.running++
	w.busy++
	i := w.ready.pop()
	w.enter(i)
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
	todo := []int{ended}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, user := range w.graph.users[i] {
			if w.waiting[user]--; w.waiting[user] > 0 {
				continue
			}
			if w.outcomes[user].Status != Skipped {
				w.ready.push(user)
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
	todo := []int{failed}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, user := range w.graph.users[i] {
			if w.outcomes[user].Status == Skipped || !w.graph.edges[[2]int{user, i}] {
				continue
			}
			w.outcomes[user].Status, w.outcomes[user].Cause = Skipped, w.graph.keys[failed]
			todo = append(todo, user)
		}
	}
}

// queue holds indices of keys, the smallest first.
type queue []int

func (q *queue) push(i int) { heap.Push((*items)(q), i) }
func (q *queue) pop() int   { return heap.Pop((*items)(q)).(int) }

// items is a queue as container/heap wants to see it.
type items []int

func (q items) Len() int           { return len(q) }
func (q items) Less(i, j int) bool { return q[i] < q[j] }
func (q items) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *items) Push(x any)        { *q = append(*q, x.(int)) }
func (q *items) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
