package main

import (
	"context"
	"os"
	"sync"
	"time"
)

// The notices at the first signal and at the second.
const (
	stopping = "stopping: remote work is being ended; press again to leave at once"
	leaving  = "leaving at once: remote work may go on"
)

// patience is how long a program that exits at once waits for a screen.
const patience = 200 * time.Millisecond

// interruptible returns a context that the first signal cancels after it called notice.
// The second signal calls leave. The returned function stops the signal handling and
// waits.
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
		watcher.Go(notice) // it can block if the screen is blocked
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

// within calls a function and waits at most the given time.
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
