package lock

import (
	"context"
	"sync"
	"time"

	"kinit/engine/module"
)

// held is the lock of a run on one host, or that of its team.
type held struct {
	host   module.Host
	place  place
	team   team          // instead of a host
	made   bool          // the playbook makes the host; other locks decide
	taking chan struct{} // holds a token while the lock is being taken

	refused error // another run has the lock

	mu        sync.Mutex
	taken     bool
	given     bool          // given back
	confirmed time.Duration // this machine's clock when the last successful renewal was sent
	away      time.Duration // this machine's clock until which the host may be away, or 0
}

func (l *held) do(ctx context.Context, o operation) (answer, error) {
	if l.team != nil {
		return l.team.do(ctx, o)
	}
	return l.place.do(ctx, l.host, o)
}

// name returns the host's name.
func (l *held) name() string {
	if l.team != nil {
		return teamName
	}
	return l.host.Name()
}

// where returns the place of the lock.
func (l *held) where() string {
	if l.team != nil {
		return "in " + teamName
	}
	return "on " + l.host.Name()
}

func (l *held) has() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken && !l.given
}

// confirm records that the host has confirmed the lock; sent is the time of the request.
func (l *held) confirm(sent time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.confirmed = true, max(l.confirmed, sent)
}

// leave records until when the host may be away.
func (l *held) leave(until time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = until
}

// absence returns how much longer the host may be away.
func (l *held) absence(now time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.away-now, 0)
}

// overdue reports whether the run must stop, because the lock was not renewed in time.
func (l *held) overdue(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken && !l.given && !l.made && now-l.confirmed >= patience && now >= l.away
}

// give marks the lock as given back, and reports whether there is something to give.
func (l *held) give() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := l.taken && !l.given
	l.given = true
	return had
}
