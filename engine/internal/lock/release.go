package lock

import (
	"context"
	"sync"
	"time"
)

// Release gives all locks back, even after ctx has ended. A lock whose host does not answer
// within ten seconds, or three after ctx has ended, expires by itself. It may be called
// twice: the second call removes nothing.
func (g *Guard) Release(ctx context.Context) {
	g.stop()
	g.free(ctx)
	g.lose(nil)
	g.ended.Wait()
	g.alive.end()
}

// free gives the held locks back. A lock whose host does not answer expires by itself.
func (g *Guard) free(ctx context.Context) {
	g.mu.Lock()
	locks := g.locks
	g.locks = map[string]*held{}
	g.mu.Unlock()
	var all sync.WaitGroup
	for _, l := range locks {
		limit := freeTime
		if l.made {
			limit = freeMadeTime
		}
		if ctx.Err() != nil {
			limit = min(limit, freeStoppedTime)
		}
		all.Go(func() {
			if l.give() {
				l.release(ctx, limit)
			}
		})
	}
	all.Wait()
	g.freeTeam(ctx)
}

// The time limits for giving a lock back. A host that the playbook makes may no longer
// exist; after an interrupt the user waits.
const (
	freeTime        = 10 * time.Second
	freeMadeTime    = 2 * time.Second
	freeStoppedTime = 3 * time.Second
)

// freeTeam gives the team's lock back, after those of the hosts, so that no other run asks
// for these before. It closes the lock even if it was not taken.
func (g *Guard) freeTeam(ctx context.Context) {
	g.mu.Lock()
	l := g.team
	g.team = nil
	g.mu.Unlock()
	if l != nil {
		l.give()
		l.release(ctx, freeTime) // otherwise its lease expires by itself
	}
}

func (l *held) release(ctx context.Context, limit time.Duration) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	_, _ = l.do(timed, operation{name: "release"})
}
