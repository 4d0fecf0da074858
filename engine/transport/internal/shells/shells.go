// Package shells keeps long-lived shells on a machine, in which the commands of one connection
// run.
package shells

import (
	"context"
	"net"
	"slices"
	"sync"
)

// Kind says how the shells of a set begin and end.
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

// Set holds the shells of one connection. One caller at a time has a shell; the others wait
// for an idle one.
type Set[S comparable] struct {
	kind Kind[S]

	mu      sync.Mutex
	all     []S // started and not ended
	idle    []S
	opening int           // being started
	limit   int           // the most that the machine allows, as far as known
	changed chan struct{} // closed and replaced when something becomes free
	closed  bool
}

// New returns a set without shells.
func New[S comparable](kind Kind[S]) *Set[S] {
	return &Set[S]{kind: kind, limit: kind.Most, changed: make(chan struct{})}
}

// Take returns an idle shell, a new one, or waits for one to become idle. If the machine
// refuses a further shell, the limit is lowered; it is an error only if there is no shell at
// all. After Close the error is net.ErrClosed.
func (a *Set[S]) Take(ctx context.Context) (S, error) {
	var none S
	for try := 0; ; {
		s, changed, err := a.next()
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
		s, err = a.kind.Start(ctx)
		others := a.started(s, err)
		if err == nil || !a.kind.Full(err) || others == 0 && try >= a.kind.Tries {
			return s, err
		}
		if others == 0 {
			if err := a.kind.Backoff(ctx, try); err != nil {
				return none, err
			}
			try++
		}
	}
}

// next returns an idle shell, or the channel to wait for, or neither if a shell is to be
// started.
func (a *Set[S]) next() (s S, changed <-chan struct{}, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.idle)
	switch {
	case a.closed:
		return s, nil, net.ErrClosed
	case n > 0:
		s, a.idle = a.idle[n-1], a.idle[:n-1]
		return s, nil, nil
	case len(a.all)+a.opening < a.limit:
		a.opening++
		return s, nil, nil
	}
	return s, a.changed, nil
}

// started records the result of a start and returns how many other shells there are.
func (a *Set[S]) started(s S, err error) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opening--
	others := len(a.all) + a.opening
	if err == nil {
		a.all = append(a.all, s)
		return others
	}
	if others > 0 && a.kind.Full(err) {
		a.limit = min(a.limit, others)
	}
	a.wake()
	return others
}

// Put gives a shell back. One that is not usable any more ends in the background.
func (a *Set[S]) Put(ctx context.Context, s S, usable bool) {
	a.mu.Lock()
	keep := usable && !a.closed
	if keep {
		a.idle = append(a.idle, s)
		a.wake()
	}
	a.mu.Unlock()
	if !keep && !a.kind.Spawn(func() { a.end(ctx, s) }) {
		a.end(ctx, s)
	}
}

func (a *Set[S]) end(ctx context.Context, s S) {
	a.kind.End(ctx, s)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = slices.DeleteFunc(a.all, func(other S) bool { return other == s })
	a.wake()
}

// Others lists the shells besides one, busy ones too.
func (a *Set[S]) Others(s S) []S {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.all), func(other S) bool { return other == s })
}

// Lower takes one off the limit, below the number of shells; one remains. It reports whether
// there is more than one shell.
func (a *Set[S]) Lower() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	count := len(a.all) + a.opening
	if count > 1 {
		a.limit = max(min(a.limit, count)-1, 1)
	}
	return count > 1
}

// Yield frees one shell's place for another use: it waits for an idle shell and ends it. It
// keeps the last shell.
func (a *Set[S]) Yield(ctx context.Context) error {
	if !a.Lower() {
		return nil
	}
	s, err := a.Take(ctx)
	if err == nil {
		a.end(ctx, s)
	}
	return err
}

// Empty ends the idle shells.
func (a *Set[S]) Empty(ctx context.Context) {
	a.mu.Lock()
	idle := a.idle
	a.idle = nil
	a.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range idle {
		all.Go(func() { a.end(ctx, s) })
	}
	all.Wait()
}

// Close ends the shells. All commands must have ended.
func (a *Set[S]) Close(ctx context.Context) {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.Empty(ctx)
}

// wake makes all waiting callers check again. The caller holds the lock.
func (a *Set[S]) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}
