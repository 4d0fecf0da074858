package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
)

// Take takes the lock on each host, in an order that is the same for all runs, or on none.
// It waits until a lock that is not renewed expires. If a lock is renewed meanwhile, it
// returns ErrHeld with the holder, the place and the duration. It leaves out hosts where it
// cannot find that out; Admit decides about them later.
func (g *Guard) Take(ctx context.Context, hosts []module.Host) error {
	for _, h := range sorted(ctx, hosts) {
		if _, err := g.Admit(ctx, h, false); errors.Is(err, ErrHeld) {
			g.free(ctx)
			return err
		}
	}
	return ctx.Err()
}

// Admit takes the lock on one host, unless the run has it, and returns the path of a link
// that exists on the host while the run may work there. A run that holds the other locks
// also gets the lock on a host that the owner's playbook makes; that lock is not renewed.
func (g *Guard) Admit(ctx context.Context, h module.Host, made bool) (string, error) {
	if g.keeping.Err() != nil {
		return "", fmt.Errorf("%w: it has given all of them back", ErrLost)
	}
	g.mu.Lock()
	l, known := g.locks[h.Name()]
	if !known {
		l = &held{host: h, made: made && g.decided(), taking: make(chan struct{}, 1)}
		l.place = place{folder: g.folderOf(h), owner: folderName(g.options.Owner), token: g.options.Token, proc: g.around.proc}
		g.locks[h.Name()] = l
	}
	g.mu.Unlock()
	select {
	case l.taking <- struct{}{}:
		defer func() { <-l.taking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if l.has() {
		return l.place.link(), nil
	}
	if l.refused != nil {
		return "", l.refused
	}
	sent, err := g.take(ctx, l)
	if errors.Is(err, ErrHeld) {
		l.refused = err // another attempt would wait again
	}
	if err != nil {
		return "", err
	}
	l.confirm(sent)
	if !l.made {
		g.ended.Go(func() { g.keep(l) })
	}
	return l.place.link(), nil
}

// decided reports whether a held lock decides about the hosts that the playbook makes. The
// caller holds the mutex.
func (g *Guard) decided() bool {
	for _, l := range g.locks {
		if !l.made && l.has() {
			return true
		}
	}
	return false
}

func (g *Guard) folderOf(h module.Host) string {
	if h.OS() == module.Windows {
		return windowsFolder
	}
	return g.around.folder
}

// TakeTeam takes the team's lock, if there is one. It comes before the locks of hosts, so
// that two runs exclude each other even if they share no host. It waits like Take.
func (g *Guard) TakeTeam(ctx context.Context) error {
	if g.around.team == nil {
		return nil
	}
	l := &held{team: g.around.team}
	g.mu.Lock()
	g.team = l
	g.mu.Unlock()
	sent, err := g.take(ctx, l)
	if err != nil {
		return err
	}
	l.confirm(sent)
	g.ended.Go(func() { g.keep(l) })
	return nil
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
			g.emitTaken(l, a)
			return sent, nil
		}
		pause := pollTime
		switch {
		case a.holder != o.dead && g.options.Runs.died(a.holder):
			o.dead, pause = a.holder, 0
		case first == "":
			first = a.until
			g.report(g.options.Waits, l, fmt.Sprintf("for the run of %s, which is at work or has died; a dead one's lock is taken over within %s", a.holder, lifetime))
		case a.until != first, g.now()-begin > lifetime+tryTime:
			return 0, fmt.Errorf("%w: %s holds the lock of %s %s, for %s now", ErrHeld, a.holder, g.options.Owner, l.where(), a.since.Round(time.Second))
		}
		if err := pace.Wait(ctx, pause); err != nil {
			return 0, err
		}
	}
}

// emitTaken reports whose lock was taken over, and what that run still had at work.
func (g *Guard) emitTaken(l *held, a answer) {
	who := cmp.Or(a.was, "an earlier run")
	switch {
	case l.team != nil && a.was != "":
		g.report(g.options.Took, l, "the lock of "+who)
	case a.ended == 1:
		g.report(g.options.Took, l, "the lock of "+who+", and ended a process that it had at work")
	case a.ended > 1:
		g.report(g.options.Took, l, fmt.Sprintf("the lock of %s, and ended %d processes that it had at work", who, a.ended))
	case a.was != "" && !l.made:
		g.report(g.options.Took, l, "the lock of "+who+", which had nothing at work")
	}
}

func (g *Guard) report(to func(host, text string), l *held, text string) {
	if to != nil {
		to(l.name(), text)
	}
}
