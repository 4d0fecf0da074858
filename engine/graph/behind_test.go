package graph

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// door walks so many keys that are all ready, two at a time. The first is aside for a second; the
// others wait until it opens the door, and take no time. It returns how the keys ended, how
// long that took and how many were visited at the same time, waiting or not.
func door(t *testing.T, keys int, fails bool) (ends map[Status]int, took time.Duration, most int32) {
	g := &Graph[int]{}
	for i := range keys {
		g.Add(i)
	}
	open := make(chan struct{})
	var now, seen atomic.Int32
	began := time.Now()
	ends = map[Status]int{}
	for _, o := range walk(t.Context(), g, 2, func(ctx context.Context, key int) error {
		now.Add(1)
		defer now.Add(-1)
		if key > 0 {
			Behind(ctx, func() { <-open })
			return nil
		}
		Aside(ctx, func() {
			time.Sleep(time.Second)
			seen.Store(now.Load())
		})
		defer close(open)
		if fails {
			return errBoom
		}
		return nil
	}) {
		ends[o.Status]++
	}
	return ends, time.Since(began), seen.Load()
}

// Many more visits wait for another one than may be aside. That one comes back nevertheless, since
// they take no place.
func TestAVisitComesBackBeforeThoseThatWaitForIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails bool
		want  map[Status]int
	}{
		"it is done": {false, map[Status]int{Done: 200}},
		"it fails":   {true, map[Status]int{Failed: 1, Done: 199}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ends, took, most := door(t, 200, c.fails)
				if diff := cmp.Diff(c.want, ends); diff != "" {
					t.Error(diff)
				}
				if took != time.Second || most != 200 {
					t.Errorf("%d visits took %s, want 200 in 1s", most, took)
				}
			})
		})
	}
}

// A walk of many ready keys does not begin them all to let them wait.
func TestVisitsThatWaitForOthersAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ends, took, most := door(t, 5000, false)
		if diff := cmp.Diff(map[Status]int{Done: 5000}, ends); diff != "" {
			t.Error(diff)
		}
		if took != time.Second {
			t.Errorf("it took %s, want 1s", took)
		}
		if most > mostBehind+2 { // and those that have a place
			t.Errorf("%d visits at the same time, want at most %d", most, mostBehind+2)
		}
	})
}

func TestBehindOutsideOfAVisitOnlyRuns(t *testing.T) {
	t.Parallel()
	ran := false
	Behind(t.Context(), func() { ran = true })
	if !ran {
		t.Error("it did not run")
	}
}
