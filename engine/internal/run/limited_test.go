package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheLimitOfAlwaysBeginsWithTheInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		within, end := limited(ctx, context.WithoutCancel(ctx), alwaysLimit)
		defer end()
		goesOn := func(after time.Duration, want bool) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := within.Err() == nil; got != want {
				t.Errorf("it goes on: %v, want %v", got, want)
			}
		}
		goesOn(11*time.Minute, true)
		interrupt()
		goesOn(alwaysLimit-time.Second, true)
		goesOn(time.Second, false)
	})
}

func TestTasksOfAlwaysEndAtOnceWhenTheRunIsToStopCompletely(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lasting, stop := context.WithCancel(t.Context())
		ctx, interrupt := context.WithCancel(lasting)
		within, end := limited(ctx, lasting, alwaysLimit)
		defer end()
		interrupt()
		synctest.Wait()
		if within.Err() != nil {
			t.Error("the interrupt ends it")
		}
		stop()
		synctest.Wait()
		if within.Err() == nil {
			t.Error("it goes on")
		}
	})
}
