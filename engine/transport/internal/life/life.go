// Package life is how long a connection lives: it lets work in until the connection is
// closed, ends the work then, and waits for it.
package life

import (
	"context"
	"net"
	"sync"
)

// Life is the life of one connection. It is safe for use by several goroutines.
type Life struct {
	over chan struct{} // closed by End

	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup // work
}

// New returns a life that has begun.
func New() *Life { return &Life{over: make(chan struct{})} }

// Enter lets work in, which calls Leave at its end, and tells whether it did: not once
// End was called.
func (l *Life) Enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.running.Add(1)
	}
	return !l.ended
}

// Leave is called by work at its end.
func (l *Life) Leave() { l.running.Done() }

// During returns a context for work that was let in, which also ends with the life; its
// cause is then net.ErrClosed. Call the function to free it.
func (l *Life) During(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l.running.Go(func() {
		select {
		case <-l.over:
			cancel(net.ErrClosed)
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(nil) }
}

// Ended reports whether End was called.
func (l *Life) Ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// End ends the life and the work in it, and waits for that. Calling it twice is fine.
func (l *Life) End() {
	l.mu.Lock()
	if !l.ended {
		l.ended = true
		close(l.over)
	}
	l.mu.Unlock()
	l.running.Wait()
}
