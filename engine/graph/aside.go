package graph

import (
	"context"
	"sync"
)

// mostAside is how many visits may be aside at the same time: many more than hosts that
// do not answer, and few enough for one machine to wait for.
const mostAside = 128

// places is how many visits of a walk there may be at the same time.
type places struct {
	mu      sync.Mutex
	changed *sync.Cond // anything changed that a visit may wait for
	limit   int
	busy    int // visits that are not aside
	aside   int
	back    int // visits that were aside and wait for a place
}

// wake lets all that wait look again.
func (p *places) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed.Broadcast()
}

// free reports whether a further visit may begin: after those that come back.
func (p *places) free() bool { return p.busy+p.back < p.limit }

// placeKey is the key of a walk's places among the values of a visit's context.
type placeKey struct{}

// Aside runs a part of a visit that only waits, such as for a machine that may be dead.
// Meanwhile another key may be visited in the place of this one. It returns when there
// is a place again, or ctx has ended. Outside of a visit it only runs f.
func Aside(ctx context.Context, f func()) {
	p, ok := ctx.Value(placeKey{}).(*places)
	if !ok || !p.leave() {
		f()
		return
	}
	defer p.comeBack(ctx)
	f()
}

// leave gives the visit's place up, unless too many have done so.
func (p *places) leave() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.aside >= mostAside {
		return false
	}
	p.aside++
	p.busy--
	p.changed.Broadcast()
	return true
}

// comeBack waits for a place. After an interrupt it does not wait.
func (p *places) comeBack(ctx context.Context) {
	stop := context.AfterFunc(ctx, p.wake)
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside--
	p.back++
	for p.busy >= p.limit && ctx.Err() == nil {
		p.changed.Wait()
	}
	p.back--
	p.busy++
}
