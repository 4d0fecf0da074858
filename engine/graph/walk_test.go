package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
		line := o.Key + " " + [...]string{"done", "failed", "skipped", "cancelled"}[o.Status]
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

// walk walks with a function alone.
func walk[K comparable](ctx context.Context, g *Graph[K], workers int, visit func(ctx context.Context, key K) error) []Outcome[K] {
	return g.Walk(ctx, workers, Visitor[K]{Visit: visit})
}

func TestWalkWithOneWorkerVisitsInOrder(t *testing.T) {
	t.Parallel()
	g := build("z", "a y", "y", "x")
	var visited []string
	walk(t.Context(), g, 1, func(_ context.Context, key string) error {
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
			got := walk(t.Context(), build(test.lines...), 1, func(_ context.Context, key string) error {
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

func TestWalkVisitsWhatOnlyFollowsAFailedKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines, follow []string
		fail          string
		want          []string // outcomes
		order         []string // of visits and skips
	}{
		"a follower of a failed key": {
			[]string{"a", "b"}, []string{"b a"}, "a",
			[]string{"a failed: boom", "b done"}, []string{"a", "b"},
		},
		"a follower of a skipped key": {
			[]string{"a", "b a", "c"}, []string{"c b"}, "a",
			[]string{"a failed: boom", "b skipped by a", "c done"}, []string{"a", "skip b by a", "c"},
		},
		"a skipped key ends when all it waits for has ended": {
			[]string{"a", "later", "z later", "b a z", "c"}, []string{"c b"}, "a",
			[]string{"a failed: boom", "later done", "z done", "b skipped by a", "c done"},
			[]string{"a", "later", "z", "skip b by a", "c"},
		},
		"what depends on a follower goes on": {
			[]string{"a", "b", "c b"}, []string{"b a"}, "a",
			[]string{"a failed: boom", "b done", "c done"}, []string{"a", "b", "c"},
		},
		"to depend is more than to follow": {
			[]string{"a", "b a"}, []string{"b a"}, "a",
			[]string{"a failed: boom", "b skipped by a"}, []string{"a", "skip b by a"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := build(test.lines...)
			for _, line := range test.follow {
				from, to, _ := strings.Cut(line, " ")
				g.Follow(from, to)
			}
			var order []string
			got := g.Walk(t.Context(), 1, Visitor[string]{
				Visit: func(_ context.Context, key string) error {
					order = append(order, key)
					if key == test.fail {
						return errBoom
					}
					return nil
				},
				Skipped: func(key, cause string) { order = append(order, "skip "+key+" by "+cause) },
			})
			if diff := cmp.Diff(test.want, show(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.order, order); diff != "" {
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
		walk(t.Context(), g, 5, func(context.Context, int) error {
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
		walk(t.Context(), g, 2, func(_ context.Context, key string) error {
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
		got := walk(ctx, g, 1, func(context.Context, string) error {
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
		got := walk(ctx, build("a", "b a"), 4, func(ctx context.Context, _ string) error {
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
	got := walk(t.Context(), build("a b", "b a", "c"), 2, func(context.Context, string) error { return nil })
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
		walk(b.Context(), g, 10, func(context.Context, string) error { return nil })
	}
}

func BenchmarkBuildAndValidate5000(b *testing.B) {
	for b.Loop() {
		if err := layers().Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
