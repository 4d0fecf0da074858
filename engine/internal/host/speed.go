package host

import (
	"sync"

	"kinit/engine/pace"
)

// speed is how slow a machine is. Callers share one measurement.
type speed struct {
	fixed float64 // from the settings; 0 means measure

	mu      sync.Mutex
	slowest float64       // the slowest measurement, 0 before the first
	busy    chan struct{} // closed when the current measurement ends; nil without one
}

func (s *speed) known() float64 {
	if s.fixed > 0 {
		return s.fixed
	}
	return max(s.slowest, pace.Ordinary)
}

// begin begins a measurement, or returns the current one, or nil if the machine is not
// measured.
func (s *speed) begin() (busy chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fixed > 0 || s.busy != nil {
		return s.busy, false
	}
	s.busy = make(chan struct{})
	return s.busy, true
}

func (s *speed) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.busy)
	s.busy = nil
}
