package host

import (
	"context"
	"strings"
	"sync"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// measureTime is how long measuring a machine may take. A machine that does not answer in
// time keeps its known pace.
const measureTime = 30 * time.Second

// speed is how slow a machine is. Callers share one measurement.
type speed struct {
	fixed float64 // from the settings; 0 means measure

	mu      sync.Mutex
	slowest float64       // the slowest measurement, 0 before the first
	busy    chan struct{} // closed when the current measurement ends; nil without one
}

// Pace returns how many times slower than an ordinary machine it is: the value of the
// settings, or the slowest measurement.
func (m *Machine) Pace() float64 {
	m.speed.mu.Lock()
	defer m.speed.mu.Unlock()
	return m.speed.known()
}

func (s *speed) known() float64 {
	if s.fixed > 0 {
		return s.fixed
	}
	return max(s.slowest, pace.Ordinary)
}

// Note records a measurement and returns the pace that is known then.
func (m *Machine) Note(found float64) float64 {
	m.speed.mu.Lock()
	defer m.speed.mu.Unlock()
	m.speed.slowest = max(m.speed.slowest, found)
	return m.speed.known()
}

// Measure measures the machine, unless its settings say how slow it is.
func (m *Machine) Measure(ctx context.Context) float64 {
	busy, mine := m.speed.begin()
	switch {
	case busy == nil:
	case mine:
		m.Note(m.measure(ctx))
		m.speed.end()
	default:
		select {
		case <-busy:
		case <-ctx.Done():
		}
	}
	return m.Pace()
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

// measure runs the script, and returns 0 if its output has no result.
func (m *Machine) measure(ctx context.Context) float64 {
	limited, cancel := context.WithTimeout(ctx, measureTime)
	defer cancel()
	line, env, err := commandLine(module.Command{Argv: []string{"sh", "-c", pace.Script()}})
	if err != nil {
		return 0
	}
	var out, rest strings.Builder
	if _, err := m.conn.Exec(limited, transport.Process{Line: line, Env: env, Stdout: &out, Stderr: &rest}); err != nil {
		return 0
	}
	return pace.Parse(out.String())
}

// fixedPace returns the pace of the settings, or 1 on Windows, where nothing is measured.
func (s Settings) fixedPace() float64 {
	if s.Pace == 0 && s.system() == module.Windows {
		return pace.Ordinary
	}
	return s.Pace
}

func (w within) Pace() float64 { return module.Gauge(w.Host).Pace() }

func (w within) Measure(ctx context.Context) float64 { return module.Gauge(w.Host).Measure(ctx) }

func (w within) Note(found float64) float64 { return module.NotePace(w.Host, found) }
