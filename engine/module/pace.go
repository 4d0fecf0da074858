package module

import (
	"context"
	"time"

	"kinit/engine/pace"
)

// paced is a host whose pace is known.
type paced interface {
	pace.Gauge
	// Note records a measurement and returns the pace that is known then.
	Note(pace float64) float64
}

// ordinary is a host without a known pace.
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

// Gauge returns the gauge that measures how slow a host is, for time limits.
func Gauge(h Host) pace.Gauge { return pacedHost(h) }

// NotePace records how slow a host was found to be, and returns the pace to use: that of
// its inventory, or the slowest measurement.
func NotePace(h Host, found float64) float64 { return pacedHost(h).Note(found) }

// Within returns a context that ends after a time limit, which is longer on a slow host.
// The caller must call the limit's End.
func Within(ctx context.Context, h Host, limit time.Duration) (context.Context, *pace.Limit) {
	return pace.Within(ctx, limit, pacedHost(h))
}

// Stretch returns a time limit for a host, multiplied by its pace if that is known.
func Stretch(h Host, limit time.Duration) time.Duration {
	return pace.Stretch(limit, pacedHost(h).Pace())
}
