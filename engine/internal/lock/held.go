package lock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// take tries until it has the lock or sees that its holder is alive. It returns this
// machine's clock at the time of the request.
func (g *Guard) take(ctx context.Context, l *held) (time.Duration, error) {
	o := operation{name: "take"}
	if l.made {
		o.dead = anybody
	}
	begin, first := g.now(), ""
	for {
		sent := g.now()
		a, err := l.do(ctx, o)
		if err != nil {
			return 0, fmt.Errorf("take the lock of %s %s: %w", g.options.Owner, l.where(), err)
		}
		if a.taken {
			l.place.folder = a.folder
			g.tellTaken(l, a)
			return sent, nil
		}
		pause := pollTime
		switch {
		case a.holder != o.dead && g.options.Runs.died(a.holder):
			o.dead, pause = a.holder, 0
		case first == "":
			first = a.until
			g.tell(g.options.Waits, l, fmt.Sprintf("for the run of %s, which is at work or has died; a dead one's lock is taken over within %s", a.holder, lifetime))
		case a.until != first, g.now()-begin > lifetime+tryTime:
			return 0, fmt.Errorf("%w: %s holds the lock of %s %s, for %s now", ErrHeld, a.holder, g.options.Owner, l.where(), a.since.Round(time.Second))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// tellTaken reports whose lock was taken over, and what that run still had at work.
func (g *Guard) tellTaken(l *held, a answer) {
	who := a.was
	if who == "" {
		who = "an earlier run"
	}
	switch {
	case l.team != nil && a.was != "":
		g.tell(g.options.Took, l, "the lock of "+who)
	case a.ended == 1:
		g.tell(g.options.Took, l, "the lock of "+who+", and ended a process that it had at work")
	case a.ended > 1:
		g.tell(g.options.Took, l, fmt.Sprintf("the lock of %s, and ended %d processes that it had at work", who, a.ended))
	case a.was != "" && !l.made:
		g.tell(g.options.Took, l, "the lock of "+who+", which had nothing at work")
	}
}

func (g *Guard) tell(to func(host, text string), l *held, text string) {
	if to != nil {
		to(l.name(), text)
	}
}

// taken returns the error for a lock that another run took over.
func (g *Guard) taken(l *held, a answer) error {
	who := a.holder
	if who == "" {
		who = "somebody"
	}
	err := fmt.Errorf("%w: that %s was taken over by %s", ErrLost, l.where(), who)
	if l.has() {
		g.lose(err)
	}
	return err
}

// keep renews a lock until it is given back or lost. A host that does not answer is asked
// again.
func (g *Guard) keep(l *held) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-g.keeping.Done():
			return
		}
		g.alive.renew()
		timed, cancel := context.WithTimeout(g.keeping, patience/2)
		sent := g.now()
		a, err := l.do(timed, operation{name: "renew", away: l.absence(sent)})
		cancel()
		switch {
		case err != nil: // watch measures the time
		case a.renewed:
			l.confirm(sent)
		default:
			_ = g.taken(l, a)
			return
		}
	}
}

// watch ends the run if a lock was not renewed in time, so that it stops before others may
// take over. The cause may be that this machine or process slept.
func (g *Guard) watch() {
	ticker := time.NewTicker(watching)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-g.keeping.Done():
			return
		}
		if err := g.overdue(); err != nil {
			g.lose(err)
			return
		}
	}
}

func (g *Guard) overdue() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Collect(maps.Values(g.locks))
	if g.team != nil {
		all = append(all, g.team)
	}
	var err error
	for _, l := range all {
		if l.overdue(g.now()) {
			err = errors.Join(err, fmt.Errorf("%w: that %s could not be renewed for %s", ErrLost, l.where(), patience))
		}
	}
	return err
}
