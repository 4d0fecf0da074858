package main

import (
	"context"
	"os"
	"sync"
	"time"
)

// What is said at the first signal and at the second.
const (
	stopping = "stopping: remote work is being ended; press again to leave at once"
	leaving  = "leaving at once: remote work may go on"
)

// patience is how long a program that leaves at once waits for a screen.
const patience = 200 * time.Millisecond

// interruptible returns a context that the first signal ends, after notice was
// called. The second signal calls leave. The function it returns gives the
// signals back and waits.
func interruptible(ctx context.Context, signals <-chan os.Signal, notice, leave func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-done:
			return
		case <-signals:
		}
		cancel()
		watcher.Go(notice) // it may block on a screen that is held
		select {
		case <-done:
		case <-signals:
			leave()
		}
	})
	return ctx, func() {
		close(done)
		watcher.Wait()
		cancel()
	}
}

// within calls a function and does not wait for longer than the time given.
func within(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
