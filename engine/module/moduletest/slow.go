package moduletest

import (
	"context"
	"sync"

	"kinit/engine/module"
)

// Slow returns a host that is pace times slower than an ordinary machine. Its pace is known
// after a measurement.
func Slow(h module.Host, pace float64) module.Host { return &slow{Host: h, pace: pace, known: 1} }

type slow struct {
	module.Host
	pace float64

	mu    sync.Mutex
	known float64
}

func (s *slow) Pace() float64 { return s.Note(0) }

func (s *slow) Measure(context.Context) float64 { return s.Note(s.pace) }

func (s *slow) Note(found float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = max(s.known, found)
	return s.known
}
