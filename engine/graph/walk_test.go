package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBoom = errors.New("boom")

// show is an outcome as text.
func show(outcomes []Outcome[string]) []string {
	var lines []string
	for _, o := range outcomes {
		line := o.Key + " " + o.Status.String()
		if o.Cause != "" {
			line += " by " + o.Cause
		}
		if o.Err != nil {
			line += ": " + o.Err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

func TestWalkWithOneWorkerVisitsInOrder(t *testing.T) {
	t.Parallel()
	g := build("z", "a y", "y", "x")
	var visited []string
	g.Walk(t.Context(), 1, func(_ context.Context, key string) error {
		visited = append(visited, key)
		return nil
	})
	if diff := cmp.Diff([]string{"z", "y", "a", "x"}, visited); diff != "" {
		t.Error(diff)
	}
}

func TestWalkSkipsDependantsOfFailedKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines []string
		fail  map[string]bool
		want  []string
	}{
		"nothing to do": {nil, nil, nil},
		"no failure": {
			[]string{"a b", "b"}, nil,
			[]string{"a done", "b done"},
		},
		"the skip cascades with the root cause": {
			[]string{"a", "b a", "c b", "d"}, map[string]bool{"a": true},
			[]string{"a failed: boom", "b skipped by a", "c skipped by a", "d done"},
		},
		"the first of two causes is named": {
			[]string{"a", "b", "c a b"}, map[string]bool{"a": true, "b": true},
			[]string{"a failed: boom", "b failed: boom", "c skipped by a"},
		},
		"a dependency still runs after another one failed": {
			[]string{"a", "b", "c a b", "d b"}, map[string]bool{"a": true},
			[]string{"a failed: boom", "b done", "c skipped by a", "d done"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := build(test.lines...).Walk(t.Context(), 1, func(_ context.Context, key string) error {
				if test.fail[key] {
					return errBoom
				}
				return nil
			})
			if diff := cmp.Diff(test.want, show(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWalkRunsAtMostThatManyWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Graph[int]{}
		for i := range 20 {
			g.Add(i)
		}
		var now, most atomic.Int32
		start := time.Now()
		g.Walk(t.Context(), 5, func(context.Context, int) error {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		})
		if most.Load() != 5 {
			t.Errorf("%d ran at the same time, want 5", most.Load())
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("took %v, want 4s", took)
		}
	})
}

func TestWalkVisitsAsSoonAsDependenciesAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build("slow", "fast", "after fast")
		start := time.Now()
		done := map[string]time.Duration{}
		var mu sync.Mutex
		g.Walk(t.Context(), 2, func(_ context.Context, key string) error {
			time.Sleep(map[string]time.Duration{"slow": 10 * time.Second, "fast": time.Second, "after": time.Second}[key])
			mu.Lock()
			defer mu.Unlock()
			done[key] = time.Since(start)
			return nil
		})
		want := map[string]time.Duration{"slow": 10 * time.Second, "fast": time.Second, "after": 2 * time.Second}
		if diff := cmp.Diff(want, done); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWalkAfterCancelStartsNothingAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := build("a", "b a", "c", "d")
		finished := false
		got := g.Walk(ctx, 1, func(context.Context, string) error {
			cancel()
			time.Sleep(time.Second)
			finished = true
			return nil
		})
		if !finished {
			t.Error("Walk did not wait for the visit")
		}
		if diff := cmp.Diff([]string{"a done", "b cancelled", "c cancelled", "d cancelled"}, show(got)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWalkWakesIdleWorkersOnCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := build("a", "b a").Walk(ctx, 4, func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		})
		want := []string{"a failed: context deadline exceeded", "b skipped by a"}
		if diff := cmp.Diff(want, show(got)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWalkOverACycleEnds(t *testing.T) {
	t.Parallel()
	got := build("a b", "b a", "c").Walk(t.Context(), 2, func(context.Context, string) error { return nil })
	if diff := cmp.Diff([]string{"a cancelled", "b cancelled", "c done"}, show(got)); diff != "" {
		t.Error(diff)
	}
}

// layers is a graph of 5,000 keys in 50 layers, each key on three of the layer
// before.
func layers() *Graph[string] {
	g := &Graph[string]{}
	for i := range 5000 {
		key := fmt.Sprintf("task.%d", i)
		g.Add(key)
		for n := range 3 {
			if i >= 100 {
				g.Connect(key, fmt.Sprintf("task.%d", i/100*100-100+(i+n*7)%100))
			}
		}
	}
	return g
}

func BenchmarkWalk5000(b *testing.B) {
	g := layers()
	for b.Loop() {
		g.Walk(b.Context(), 10, func(context.Context, string) error { return nil })
	}
}

func BenchmarkBuildAndValidate5000(b *testing.B) {
	for b.Loop() {
		if err := layers().Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
