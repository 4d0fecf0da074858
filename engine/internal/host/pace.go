package host

import (
	"context"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// measureTime is how long measuring a machine may take. A machine that does not answer in
// time keeps its known pace.
const measureTime = 30 * time.Second

// Pace returns how many times slower than an ordinary machine it is: the value of the
// settings, or the slowest measurement.
func (m *Machine) Pace() float64 {
	m.speed.mu.Lock()
	defer m.speed.mu.Unlock()
	return m.speed.known()
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
