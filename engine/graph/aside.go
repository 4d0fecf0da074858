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

// places is how many visits of a walk there may be at the same time.
type places struct {
	mu      sync.Mutex
	changed *sync.Cond // anything changed that a visit may wait for
	limit   int
	busy    int // visits that have a place
	aside   int // visits that wait for something outside of the walk
	behind  int // visits that wait for other visits
	back    int // visits that were aside or behind and wait for a place
}

// wake lets all that wait look again.
func (p *places) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed.Broadcast()
}

// free reports whether a further visit may begin: after those that come back.
func (p *places) free() bool { return p.busy+p.back < p.limit && p.behind < mostBehind }

// placeKey is the key of a walk's places among the values of a visit's context.
type placeKey struct{}

// Aside runs a part of a visit that only waits, such as for a machine that may be dead.
// Meanwhile another key may be visited in the place of this one. It returns when there
// is a place again, or ctx has ended. Outside of a visit it only runs f. With very many aside it
// keeps the place, so f must not wait until another visit has ended: see Behind.
func Aside(ctx context.Context, f func()) {
	p, ok := ctx.Value(placeKey{}).(*places)
	if !ok || !p.leave() {
		f()
		return
	}
	defer p.comeBack(ctx, &p.aside)
	f()
}

// Behind is Aside for a part of a visit that waits until another visit has done something or
// ended. It always gives the place up: the other visit may need it to go on. Further keys
// wait while many visits do so, but those that have begun go on.
func Behind(ctx context.Context, f func()) {
	p, ok := ctx.Value(placeKey{}).(*places)
	if !ok {
		f()
		return
	}
	p.mu.Lock()
	p.giveUp(&p.behind)
	p.mu.Unlock()
	defer p.comeBack(ctx, &p.behind)
	f()
}

// leave gives the visit's place up, unless too many are aside.
func (p *places) leave() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.aside >= mostAside {
		return false
	}
	p.giveUp(&p.aside)
	return true
}

// giveUp gives the visit's place up and counts the visit among those that wait. The caller
// holds mu.
func (p *places) giveUp(waiting *int) {
	*waiting++
	p.busy--
	p.changed.Broadcast()
}

// comeBack waits for a place, for a visit that was counted among those that wait. After an
// interrupt it does not wait.
func (p *places) comeBack(ctx context.Context, waited *int) {
	stop := context.AfterFunc(ctx, p.wake)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.behind == mostBehind {
		p.changed.Broadcast() // a further visit may begin
	}
	*waited--
	p.back++
	for p.busy >= p.limit && ctx.Err() == nil {
		p.changed.Wait()
	}
	p.back--
	p.busy++
}
