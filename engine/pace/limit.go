package pace

import (
	"context"
	"errors"
	"time"
)

// Gauge knows how slow a machine is.
type Gauge interface {
	// Pace returns the known pace, without asking the machine: Ordinary or more.
	Pace() float64
	// Measure measures the machine, and returns the pace known then, which never decreases.
	Measure(ctx context.Context) float64
}

// ErrPassed is the cause of the end of a context whose limit has passed.
var ErrPassed = errors.New("the time is over")

// Limit is a limit of time that is longer on a slow machine. The machine is measured after
// half of the limit and at its end, so that fast operations cost nothing.
type Limit struct {
	ordinary time.Duration
	gauge    Gauge
	end      context.CancelCauseFunc
	watched  chan struct{} // closed when nothing watches the time any more
}

// Within returns a context that ends when the limit has passed on the machine that gauge
// measures. End must be called.
func Within(ctx context.Context, limit time.Duration, gauge Gauge) (context.Context, *Limit) {
	inner, end := context.WithCancelCause(ctx)
	l := &Limit{ordinary: limit, gauge: gauge, end: end, watched: make(chan struct{})}
	go l.watch(inner, time.Now())
	return inner, l
}

// watch measures and waits. What is measured last counts once: when the machine is slower
// than it was known to be, there is more time, and then the limit has passed.
func (l *Limit) watch(ctx context.Context, begin time.Time) {
	defer close(l.watched)
	if Wait(ctx, time.Until(begin.Add(l.Long()/2))) != nil {
		return
	}
	l.measure(ctx)
	if Wait(ctx, time.Until(begin.Add(l.Long()))) != nil {
		return
	}
	l.measure(ctx)
	if Wait(ctx, time.Until(begin.Add(l.Long()))) == nil {
		l.end(ErrPassed)
	}
}

// measureTime is how long a measurement may take within a shorter limit: more than the script takes on a
// slow machine.
const measureTime = 5 * time.Second

// measure measures the machine. One that hangs costs no more than the limit once again, each time.
func (l *Limit) measure(ctx context.Context) {
	timed, cancel := context.WithTimeout(ctx, max(l.Long(), measureTime))
	defer cancel()
	l.gauge.Measure(timed)
}

// End ends the context and waits until nothing is measured any more.
func (l *Limit) End() {
	l.end(context.Canceled)
	<-l.watched
}

// Long returns how long the limit is on the machine, as far as its pace is known.
func (l *Limit) Long() time.Duration { return Stretch(l.ordinary, l.gauge.Pace()) }

// String returns the length of the limit and its reason, for people.
func (l *Limit) String() string { return Text(l.ordinary, l.gauge.Pace()) }

// Passed reports whether the context ended, or one that it was made from, because a limit has
// passed.
func Passed(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrPassed) }

// Wait waits, or returns early with ctx's error.
func Wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
