// Package life ends a connection together with its work: work may begin until the
// connection is closed; End then cancels the work that still runs, and waits for it.
package life

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Life is the life of one connection. It is safe for use by several goroutines.
type Life struct {
	closed error
	over   chan struct{} // closed by Stop

	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup // work
}

// New returns a life that has begun. Once it has ended, the error is net.ErrClosed with the
// name of what was connected to.
func New(name string) *Life {
	return &Life{closed: fmt.Errorf("%s: %w", name, net.ErrClosed), over: make(chan struct{})}
}

// Enter lets work in, which calls Leave at its end, or returns the error once Stop was
// called.
func (l *Life) Enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return l.closed
	}
	l.running.Add(1)
	return nil
}

// Leave is called by work at its end.
func (l *Life) Leave() { l.running.Done() }

// Go lets work in and starts it, and reports whether it did.
func (l *Life) Go(work func()) bool {
	if l.Enter() != nil {
		return false
	}
	go func() {
		defer l.Leave()
		work()
	}()
	return true
}

// Do does work that ends with ctx or the life, and returns their error if it did so early.
func (l *Life) Do(ctx context.Context, work func(ctx context.Context) (int, error)) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := l.Enter(); err != nil {
		return 0, err
	}
	defer l.Leave()
	inner, stop := l.During(ctx)
	defer stop()
	code, err := work(inner)
	switch {
	case err == nil:
		return code, nil
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return 0, ctx.Err()
	case context.Cause(inner) == l.closed:
		return 0, l.closed
	}
	return code, err
}

// Await makes a call that takes no context, in a goroutine of spawn, whose error is refused if
// it starts none. If ctx ends first, the call goes on without its caller.
func Await[T any](ctx context.Context, spawn func(work func()) bool, refused error, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	answers := make(chan answer, 1)
	if !spawn(func() {
		value, err := call()
		answers <- answer{value, err}
	}) {
		return none, refused
	}
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// During returns a context for work that was let in, which also ends with the life; its
// cause is then the error. Call the function to free it.
func (l *Life) During(ctx context.Context) (context.Context, func()) {
	return Until(ctx, l.Go, l.over, l.closed)
}

// Until returns a context that also ends when over is closed, which a goroutine of spawn waits
// for, or if it starts none; its cause is then the given one. Call the function to free it.
func Until(
	ctx context.Context, spawn func(work func()) bool, over <-chan struct{}, cause error,
) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if !spawn(func() {
		select {
		case <-over:
			cancel(cause)
		case <-ctx.Done():
		}
	}) {
		cancel(cause)
	}
	return ctx, func() { cancel(nil) }
}

// Ended returns the error once Stop was called.
func (l *Life) Ended() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return l.closed
	}
	return nil
}

// Stop ends the life, and asks the work in it to end. Calling it twice is fine.
func (l *Life) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.ended = true
		close(l.over)
	}
}

// End is Stop, and waits for the work.
func (l *Life) End() {
	l.Stop()
	l.running.Wait()
}
