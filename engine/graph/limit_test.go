package graph

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWalkLimitsGroups: of a group of four at most two are visited at once, in order, and others
// do not wait for them. A place that a key of the group has left is for the next one.
func TestWalkLimitsGroups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := build("a", "b", "c", "d", "free", "z d")
		began := map[string]time.Duration{}
		start := time.Now()
		lasts := map[string]time.Duration{"a": 3 * time.Second}
		type visit struct {
			key string
			at  time.Duration
		}
		visits := make(chan visit, 6)
		outcomes := g.Walk(t.Context(), 10, Visitor[string]{
			Limit: func(key string) (string, int) {
				if key == "free" || key == "z" {
					return "", 0
				}
				return "group", 2
			},
			Visit: func(_ context.Context, key string) error {
				visits <- visit{key, time.Since(start)}
				time.Sleep(max(lasts[key], time.Second))
				if key == "b" {
					return errBoom
				}
				return nil
			},
		})
		close(visits)
		for v := range visits {
			began[v.key] = v.at
		}
		want := map[string]time.Duration{"a": 0, "b": 0, "free": 0, "c": time.Second, "d": 2 * time.Second, "z": 3 * time.Second}
		if diff := cmp.Diff(want, began); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"a done", "b failed: boom", "c done", "d done", "free done", "z done"}, show(outcomes)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestWalkLeavesTheRestOfAGroupAfterAnInterrupt: keys that wait for others of their group are
// not visited, and nothing waits for them.
func TestWalkLeavesTheRestOfAGroupAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	outcomes := build("a", "b").Walk(ctx, 10, Visitor[string]{
		Limit: func(string) (string, int) { return "group", 1 },
		Visit: func(context.Context, string) error {
			cancel()
			return nil
		},
	})
	if diff := cmp.Diff([]string{"a done", "b cancelled"}, show(outcomes)); diff != "" {
		t.Error(diff)
	}
}
