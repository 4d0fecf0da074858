// Package pool keeps long-lived shells on a machine, in which the commands of one connection
// run.
package pool

import (
	"context"
	"net"
	"slices"
	"sync"
)

// Kind says how the shells of a pool begin and end.
type Kind[S comparable] struct {
	Most  int // the most shells at the same time
	Start func(context.Context) (S, error)
	// Full reports whether the error of Start is that the machine allows no further shell. If
	// there is no other one, Start is tried again up to Tries times, and Backoff waits before
	// that.
	Full    func(error) bool
	Tries   int
	Backoff func(ctx context.Context, try int) error
	// End ends a shell; until it returns, the shell counts.
	End func(context.Context, S)
	// Spawn starts the end of a shell in the background, or refuses to.
	Spawn func(work func()) bool
}

// Pool holds the shells of one connection. One caller at a time has a shell; the others wait
// for an idle one.
type Pool[S comparable] struct {
	kind Kind[S]

	mu      sync.Mutex
	all     []S // started and not ended
	idle    []S
	opening int           // being started
	limit   int           // the most that the machine allows, as far as known
	changed chan struct{} // closed and replaced when something becomes free
	closed  bool
}

// New returns a pool without shells.
func New[S comparable](kind Kind[S]) *Pool[S] {
	return &Pool[S]{kind: kind, limit: kind.Most, changed: make(chan struct{})}
}

// Take returns an idle shell, a new one, or waits for one to become idle. If the machine
// refuses a further shell, the limit is lowered; it is an error only if there is no shell at
// all. After Close the error is net.ErrClosed.
func (p *Pool[S]) Take(ctx context.Context) (S, error) {
	var none S
	for try := 0; ; {
		s, changed, err := p.next()
		if s != none || err != nil {
			return s, err
		}
		if changed != nil {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return none, ctx.Err()
			}
		}
		s, err = p.kind.Start(ctx)
		others := p.started(s, err)
		if err == nil || !p.kind.Full(err) || others == 0 && try >= p.kind.Tries {
			return s, err
		}
		if others == 0 {
			if err := p.kind.Backoff(ctx, try); err != nil {
				return none, err
			}
			try++
		}
	}
}

// next returns an idle shell, or the channel to wait for, or neither if a shell is to be
// started.
func (p *Pool[S]) next() (s S, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	switch {
	case p.closed:
		return s, nil, net.ErrClosed
	case n > 0:
		s, p.idle = p.idle[n-1], p.idle[:n-1]
		return s, nil, nil
	case len(p.all)+p.opening < p.limit:
		p.opening++
		return s, nil, nil
	}
	return s, p.changed, nil
}

// started records the result of a start and returns how many other shells there are.
func (p *Pool[S]) started(s S, err error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	others := len(p.all) + p.opening
	if err == nil {
		p.all = append(p.all, s)
		return others
	}
	if others > 0 && p.kind.Full(err) {
		p.limit = min(p.limit, others)
	}
	p.wake()
	return others
}

// Put gives a shell back. One that is not usable any more ends in the background.
func (p *Pool[S]) Put(ctx context.Context, s S, usable bool) {
	p.mu.Lock()
	keep := usable && !p.closed
	if keep {
		p.idle = append(p.idle, s)
		p.wake()
	}
	p.mu.Unlock()
	if !keep && !p.kind.Spawn(func() { p.end(ctx, s) }) {
		p.end(ctx, s)
	}
}

func (p *Pool[S]) end(ctx context.Context, s S) {
	p.kind.End(ctx, s)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(other S) bool { return other == s })
	p.wake()
}

// Others lists the shells besides one, busy ones too.
func (p *Pool[S]) Others(s S) []S {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.all), func(other S) bool { return other == s })
}

// Lower takes one off the limit, below the number of shells; one remains. It reports whether
// there is more than one shell.
func (p *Pool[S]) Lower() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := len(p.all) + p.opening
	if count > 1 {
		p.limit = max(min(p.limit, count)-1, 1)
	}
	return count > 1
}

// Yield frees one shell's place for another use: it waits for an idle shell and ends it. It
// keeps the last shell.
func (p *Pool[S]) Yield(ctx context.Context) error {
	if !p.Lower() {
		return nil
	}
	s, err := p.Take(ctx)
	if err == nil {
		p.end(ctx, s)
	}
	return err
}

// Empty ends the idle shells.
func (p *Pool[S]) Empty(ctx context.Context) {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range idle {
		all.Go(func() { p.end(ctx, s) })
	}
	all.Wait()
}

// Close ends the shells. All commands must have ended.
func (p *Pool[S]) Close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Empty(ctx)
}

// wake makes all waiting callers check again. The caller holds the lock.
func (p *Pool[S]) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
