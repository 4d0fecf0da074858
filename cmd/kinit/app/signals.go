package app

import (
	"context"
	"sync"
	"time"

	"kinit/cmd/kinit/exit"
)

// The notices at the first signal and at the second.
const (
	Stopping = "stopping: remote work is being ended; press again to leave at once"
	leaving  = "leaving at once: remote work may go on"
)

// patience is how long a program that exits at once waits for a screen.
const patience = 200 * time.Millisecond

// Interruptible returns a context that the first signal cancels after notice was shown. The
// second signal ends the program. The returned function no longer catches signals.
func (a *App) Interruptible(ctx context.Context, notice string, show func(string)) (context.Context, func()) {
	return a.OnSignals(ctx, func() { show(notice) }, func() {
		within(patience, func() { show(leaving) })
		a.Leave(exit.Interrupted)
	})
}

// OnSignals returns a context that the first signal cancels; notice is called then, and
// leave at the second signal. The returned function no longer catches signals, and waits
// for both calls.
func (a *App) OnSignals(ctx context.Context, notice, leave func()) (context.Context, func()) {
	signals, restore := a.Signals()
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
		restore()
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
