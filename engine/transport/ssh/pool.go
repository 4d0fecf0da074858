package ssh

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// mostWorkers is the most shells on one connection. With the SFTP channel and a shell for
// urgent commands, these are five sessions of the ten that OpenSSH allows by default
// (MaxSessions).
const mostWorkers = 3

// pool holds the workers of one connection. Callers wait for an idle one.
type pool struct {
	start func(context.Context) (*worker, error)

	mu      sync.Mutex
	all     []*worker // started and not broken
	idle    []*worker
	opening int           // being started
	limit   int           // the most that the server allows, as far as known
	changed chan struct{} // closed and replaced when something becomes free
}

func newPool(start func(context.Context) (*worker, error), most int) *pool {
	return &pool{start: start, limit: most, changed: make(chan struct{})}
}

// take returns an idle worker, a new one, or waits for one to become idle. If the server
// refuses a further session, the limit is lowered; it is an error only if there is no
// session at all.
func (p *pool) take(ctx context.Context) (*worker, error) {
	for try := 0; ; {
		w, fresh, changed := p.next()
		if w != nil {
			return w, nil
		}
		if !fresh {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		w, err := p.start(ctx)
		others := p.started(w, err)
		if err == nil {
			return w, nil
		}
		if !errors.Is(err, errRefused) || (others == 0 && try >= mostTries) {
			return nil, err
		}
		if others == 0 {
			if err := backoff(ctx, try); err != nil {
				return nil, err
			}
			try++
		}
	}
}

// mostTries is the number of attempts to open a session if none of ours can become free;
// with backoff that is about five seconds.
const mostTries = 30

// next returns an idle worker, or reports that one may be started, or returns the channel
// to wait for.
func (p *pool) next() (w *worker, fresh bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w, p.idle = p.idle[n-1], p.idle[:n-1]
		return w, false, nil
	}
	if len(p.all)+p.opening < p.limit {
		p.opening++
		return nil, true, nil
	}
	return nil, false, p.changed
}

// started records the result of a start and returns how many other workers there are.
func (p *pool) started(w *worker, err error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	others := len(p.all) + p.opening
	switch {
	case err == nil:
		p.all = append(p.all, w)
	case errors.Is(err, errRefused) && others > 0:
		p.limit = min(p.limit, others)
	default:
		p.wake()
	}
	return others
}

func (p *pool) put(w *worker) {
	if w.broken {
		p.drop(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
	p.wake()
}

func (p *pool) drop(w *worker) {
	w.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(other *worker) bool { return other == w })
	p.wake()
}

// others lists the workers besides w, busy ones too.
func (p *pool) others(w *worker) []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.all), func(other *worker) bool { return other == w })
}

// yield frees one session for another use: it waits for an idle worker and ends it. It
// keeps the last worker.
func (p *pool) yield(ctx context.Context) error {
	p.mu.Lock()
	if len(p.all) <= 1 {
		p.mu.Unlock()
		return nil
	}
	p.limit = len(p.all) - 1
	p.mu.Unlock()
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	p.drop(w)
	return nil
}

func (p *pool) empty() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, w := range idle {
		p.drop(w)
	}
}

// wake makes all waiting callers check again. The caller holds the lock.
func (p *pool) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}
