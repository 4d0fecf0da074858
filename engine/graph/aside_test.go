package graph

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Nine of ten keys wait for a dead machine; the tenth takes a second, like each of what
// depends on it.
func TestVisitsThatAreAsideTakeNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &Graph[string]{}
		for i := range 9 {
			g.Add(fmt.Sprint("dead", i))
		}
		g.Add("alive")
		began := time.Now()
		var alive time.Duration
		outcomes := walk(t.Context(), g, 2, func(ctx context.Context, key string) error {
			if key == "alive" {
				time.Sleep(time.Second)
				alive = time.Since(began)
				return nil
			}
			Aside(ctx, func() { time.Sleep(15 * time.Second) })
			return errBoom
		})
		if alive != time.Second {
			t.Errorf("the live one ended after %s, want 1s", alive)
		}
		if took := time.Since(began); took != 15*time.Second || len(outcomes) != 10 {
			t.Errorf("%d keys took %s, want 15s", len(outcomes), took)
		}
	})
}

func TestVisitsComeBackToTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &Graph[string]{}
		for i := range 50 {
			g.Add(fmt.Sprint(i))
		}
		var now, most atomic.Int32
		walk(t.Context(), g, 3, func(ctx context.Context, _ string) error {
			Aside(ctx, func() { time.Sleep(time.Second) })
			for n := now.Add(1); ; {
				seen := most.Load()
				if n <= seen || most.CompareAndSwap(seen, n) {
					break
				}
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		})
		if most.Load() != 3 {
			t.Errorf("%d visits at the same time, want 3", most.Load())
		}
	})
}

func TestAnInterruptEndsTheWaitForAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &Graph[string]{}
		g.Add("aside")
		g.Add("busy")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		var back time.Duration
		walk(ctx, g, 1, func(ctx context.Context, key string) error {
			if key == "busy" {
				time.Sleep(time.Minute)
				return nil
			}
			Aside(ctx, func() { time.Sleep(time.Second) })
			back = time.Since(began)
			return nil
		})
		if back != 2*time.Second {
			t.Errorf("it came back after %s, want 2s", back)
		}
	})
}
