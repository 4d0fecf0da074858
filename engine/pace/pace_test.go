package pace_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kinit/engine/pace"
)

func TestTheScriptIsMeasuredByTheMachinesClock(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]float64{
		"pace 100.00 100.10 25\n":       1,     // 0.1 s is ordinary
		"pace 100.00 100.02 25\n":       1,     // and faster is ordinary
		"x86_64\npace 100.00 100.73 25": 7.3,   // with other lines
		"pace 9.99 13.00 3\n":           250.8, // it stopped after three parts
		"pace 100.00 100.00 25\n":       1,
		"":                              0,
		"pace 100.00 99.00 25\n":        0, // no clock goes back
		"pace a b c\n":                  0,
		"pace 100.00 100.10 0\n":        0,
		"a pace of its own\n":           0,
	} {
		if got := pace.Parse(output); got != want {
			t.Errorf("%q is %v, want %v", output, got, want)
		}
	}
}

func TestTheScriptRunsInEveryShell(t *testing.T) {
	t.Parallel()
	for _, shell := range [][]string{{"sh"}, {"bash"}, {"dash"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue // sh is always there
		}
		cmd := exec.CommandContext(t.Context(), shell[0], append(shell[1:], "-euc", pace.Script())...)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), "\n") != 1 || pace.Parse(string(out)) < pace.Ordinary {
			t.Errorf("%s says %q: %v", shell, out, err)
		}
	}
}

func TestALimitIsStretchedByThePace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit time.Duration
		pace  float64
		want  string
	}{
		{10 * time.Minute, 1, "10m0s"},
		{10 * time.Minute, 0, "10m0s"},
		{10 * time.Minute, 5.2, "52m0s (10m0s on a machine of ordinary speed; this one is 5.2 times slower)"},
		{10 * time.Minute, 34, "1h40m0s (10m0s on a machine of ordinary speed; this one is 34 times slower)"},
		{200 * time.Millisecond, 2, "400ms (200ms on a machine of ordinary speed; this one is 2 times slower)"},
		{7 * time.Second, 1.1, "8s (7s on a machine of ordinary speed; this one is 1.1 times slower)"},
		{1 << 62, 10, "2562047h47m16.854775807s (1281023h53m38.427387904s on a machine of ordinary speed; this one is 10 times slower)"},
	} {
		if got := pace.Text(c.limit, c.pace); got != c.want {
			t.Errorf("%s at %v is %s, want %s", c.limit, c.pace, got, c.want)
		}
	}
}

// told is a machine whose pace is told, one for each time that it is measured.
type told struct {
	known float64
	next  []float64
	times []time.Duration // since the begin, when it was measured
	begin time.Time
}

func (g *told) Pace() float64 { return g.known }

func (g *told) Measure(context.Context) float64 {
	g.times = append(g.times, time.Since(g.begin))
	if len(g.next) > 0 {
		g.known, g.next = max(g.known, g.next[0]), g.next[1:]
	}
	return g.known
}

func TestALimitMeasuresAtItsHalfAndAtItsEnd(t *testing.T) {
	t.Parallel()
	minutes := func(all ...int) []time.Duration {
		var out []time.Duration
		for _, n := range all {
			out = append(out, time.Duration(n)*time.Minute)
		}
		return out
	}
	for name, c := range map[string]struct {
		known    float64
		measured []float64
		times    []time.Duration
		passed   time.Duration
	}{
		"an ordinary machine":         {1, []float64{1, 1}, minutes(5, 10), 10 * time.Minute},
		"a slow one":                  {1, []float64{3, 3}, minutes(5, 30), 30 * time.Minute},
		"one that becomes slow":       {1, []float64{1, 4}, minutes(5, 10), 40 * time.Minute},
		"one that becomes slower":     {1, []float64{2, 5}, minutes(5, 20), 50 * time.Minute},
		"one that becomes faster":     {1, []float64{3, 1}, minutes(5, 30), 30 * time.Minute},
		"one that was known as slow":  {4, []float64{1, 1}, minutes(20, 40), 40 * time.Minute},
		"one that is slower than all": {1, []float64{60, 60}, minutes(5, 100), 100 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := &told{known: c.known, next: c.measured, begin: time.Now()}
				ctx, limit := pace.Within(t.Context(), 10*time.Minute, g)
				defer limit.End()
				<-ctx.Done()
				if got := time.Since(g.begin); got != c.passed || !pace.Passed(ctx) {
					t.Errorf("it passed after %s: %v", got, context.Cause(ctx))
				}
				if len(g.times) != 2 || g.times[0] != c.times[0] || g.times[1] != c.times[1] {
					t.Errorf("it was measured after %v, want %v", g.times, c.times)
				}
			})
		})
	}
}

// hung is a machine that answers nothing.
type hung struct{}

func (hung) Pace() float64 { return pace.Ordinary }

func (hung) Measure(ctx context.Context) float64 {
	<-ctx.Done()
	return pace.Ordinary
}

func TestAMachineThatCannotBeMeasuredDoesNotHoldALimitUp(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]time.Duration{
		4 * time.Second:  12 * time.Second, // half of it, and 5 s twice
		20 * time.Second: 50 * time.Second, // half of it, and 20 s twice
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			ctx, within := pace.Within(t.Context(), limit, hung{})
			defer within.End()
			<-ctx.Done()
			if got := time.Since(begin); got != want || !pace.Passed(ctx) {
				t.Errorf("a limit of %v passed after %v, want %v: %v", limit, got, want, context.Cause(ctx))
			}
		})
	}
}

func TestWhatIsDoneInTimeCostsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &told{known: 1, begin: time.Now()}
		ctx, limit := pace.Within(t.Context(), 10*time.Minute, g)
		time.Sleep(4 * time.Minute)
		limit.End()
		if pace.Passed(ctx) || ctx.Err() == nil || len(g.times) != 0 {
			t.Errorf("it ended by %v and was measured %d times", context.Cause(ctx), len(g.times))
		}
	})
}

func TestALimitEndsWithWhatItIsPartOf(t *testing.T) {
	t.Parallel()
	outer, stop := context.WithCancel(t.Context())
	ctx, limit := pace.Within(outer, time.Hour, &told{known: 1})
	stop()
	<-ctx.Done()
	limit.End()
	if pace.Passed(ctx) || ctx.Err() != context.Canceled {
		t.Errorf("it ended by %v", context.Cause(ctx))
	}
}
