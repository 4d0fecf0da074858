package run

import (
	"context"
	"sync/atomic"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/pace"
)

// gauge measures the host of an attempt after the connection; before that its pace is
// unknown. It shows how the limit changes.
type gauge struct {
	limit   time.Duration
	report  func(event.Progress)
	machine atomic.Pointer[host.Machine]
}

// Pace returns what is known of the host.
func (g *gauge) Pace() float64 {
	if m := g.machine.Load(); m != nil {
		return m.Pace()
	}
	return pace.Ordinary
}

func (g *gauge) Measure(ctx context.Context) float64 {
	m := g.machine.Load()
	if m == nil {
		return pace.Ordinary
	}
	before := m.Pace()
	found := m.Measure(ctx)
	if pace.Stretch(g.limit, found) > pace.Stretch(g.limit, before) {
		g.report(event.Progress{Text: "the time limit is now " + pace.Text(g.limit, found)})
	}
	return found
}
