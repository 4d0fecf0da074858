package graph

import (
	"context"
	"sync"
)

// mostAside is how many visits may be aside at the same time: many more than hosts that
// do not answer, and few enough for one machine to wait for.
const mostAside = 128

// mostBehind is how many visits may wait for other visits before no further one begins. It
// bounds the memory of a walk whose keys are all ready at once.
const mostBehind = 1024

// slots is how many visits of a walk there may be at the same time.
type slots struct {
	mu      sync.Mutex
	changed *sync.Cond // anything changed that a visit may wait for
	limit   int
	busy    int // visits that have a slot
	aside   int // visits that wait for something outside of the walk
	behind  int // visits that wait for other visits
	back    int // visits that were aside or behind and wait for a slot
}

// wake lets all that wait look again.
func (s *slots) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// free reports whether a further visit may begin: after those that come back.
func (s *slots) free() bool { return s.busy+s.back < s.limit && s.behind < mostBehind }

// slotsKey is the key of a walk's slots among the values of a visit's context.
type slotsKey struct{}

// Aside runs a part of a visit that only waits, such as for a machine that may be dead.
// Meanwhile another key may be visited in the slot of this one. It returns when there
// is a slot again, or ctx has ended. Outside of a visit it only runs f. With very many aside it
// keeps the slot, so f must not wait until another visit has ended: see Behind.
func Aside(ctx context.Context, f func()) {
	s, ok := ctx.Value(slotsKey{}).(*slots)
	if !ok || !s.leave() {
		f()
		return
	}
	defer s.comeBack(ctx, &s.aside)
	f()
}

// Behind is Aside for a part of a visit that waits until another visit has done something or
// ended. It always gives the slot up: the other visit may need it to go on. Further keys
// wait while many visits do so, but those that have begun go on.
func Behind(ctx context.Context, f func()) {
	s, ok := ctx.Value(slotsKey{}).(*slots)
	if !ok {
		f()
		return
	}
	s.mu.Lock()
	s.giveUp(&s.behind)
	s.mu.Unlock()
	defer s.comeBack(ctx, &s.behind)
	f()
}

// leave gives the visit's slot up, unless too many are aside.
func (s *slots) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aside >= mostAside {
		return false
	}
	s.giveUp(&s.aside)
	return true
}

// giveUp gives the visit's slot up and counts the visit among those that wait. The caller
// holds mu.
func (s *slots) giveUp(waiting *int) {
	*waiting++
	s.busy--
	s.changed.Broadcast()
}

// comeBack waits for a slot, for a visit that was counted among those that wait. After an
// interrupt it does not wait.
func (s *slots) comeBack(ctx context.Context, waited *int) {
	stop := context.AfterFunc(ctx, s.wake)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behind == mostBehind {
		s.changed.Broadcast() // a further visit may begin
	}
	*waited--
	s.back++
	for s.busy >= s.limit && ctx.Err() == nil {
		s.changed.Wait()
	}
	s.back--
	s.busy++
}
