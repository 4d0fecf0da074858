package module

import (
	"context"
	"time"

	"kinit/engine/pace"
)

// paced is a host that knows how slow its machine is.
type paced interface {
	pace.Gauge
	// Note takes what a task has measured, and says what is known then.
	Note(pace float64) float64
}

// ordinary is a host that knows nothing of that.
type ordinary struct{}

func (ordinary) Pace() float64                   { return pace.Ordinary }
func (ordinary) Measure(context.Context) float64 { return pace.Ordinary }
func (ordinary) Note(found float64) float64      { return max(found, pace.Ordinary) }

func pacedHost(h Host) paced {
	if p, ok := h.(paced); ok {
		return p
	}
	return ordinary{}
}

// Gauge returns what measures how slow a host is, for limits of time.
func Gauge(h Host) pace.Gauge { return pacedHost(h) }

// NotePace tells the run how slow a host was found to be, and returns what counts: what its
// inventory says, or the slowest that was found.
func NotePace(h Host, found float64) float64 { return pacedHost(h).Note(found) }

// Within returns a context that ends when a limit of time has passed, which is longer on a
// slow host. End of the limit must be called.
func Within(ctx context.Context, h Host, limit time.Duration) (context.Context, *pace.Limit) {
	return pace.Within(ctx, limit, pacedHost(h))
}

// Stretch is a limit of time as it is on a host, as far as it is known how slow that is.
func Stretch(h Host, limit time.Duration) time.Duration {
	return pace.Stretch(limit, pacedHost(h).Pace())
}
