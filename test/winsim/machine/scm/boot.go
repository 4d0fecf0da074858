package scm

import (
	"context"
	"time"
)

// Up starts the automatic services, as at the end of a boot. Those that start delayed
// come after the others. ctx ends with the machine. A service that fails to start is
// no error: log is told.
func (m *Manager) Up(ctx context.Context, log func(service string, err error)) {
	m.mu.Lock()
	m.ctx, m.halt = context.WithCancel(ctx)
	m.services = map[string]*instance{}
	up := m.ctx
	m.mu.Unlock()
	// What is created or changed from now on is started at the next boot.
	soon, late := m.automatic()
	m.startAll(up, log, soon)
	m.workers.Go(func() { m.startAll(up, log, late) })
}

// automatic are the services that start with the machine: those that start soon, and
// those that start delayed.
func (m *Manager) automatic() (soon, late []string) {
	for _, name := range m.Names() {
		c, err := m.Config(name)
		switch {
		case err != nil || c.Start != Auto:
		case c.Delayed:
			late = append(late, name)
		default:
			soon = append(soon, name)
		}
	}
	return soon, late
}

// startAll starts services that do not run yet.
func (m *Manager) startAll(ctx context.Context, log func(string, error), names []string) {
	for _, name := range names {
		if status, err := m.Status(name); err != nil || status.State != Stopped {
			continue
		}
		if err := m.Start(ctx, name); err != nil && ctx.Err() == nil {
			log(name, err)
		}
	}
}

// Down ends all services and waits for their processes.
func (m *Manager) Down() {
	m.mu.Lock()
	if m.ctx == nil {
		m.mu.Unlock()
		return
	}
	for _, s := range m.services {
		s.stopping = true
	}
	m.halt()
	m.ctx = nil
	m.mu.Unlock()
	m.workers.Wait()
}

// recover does what is set for a service that failed.
func (m *Manager) recover(ctx context.Context, name string, s *instance) {
	c, err := m.Config(name)
	if err != nil || len(c.Failure.Actions) == 0 {
		return
	}
	m.mu.Lock()
	if c.Failure.Reset > 0 && !s.failed.IsZero() && time.Since(s.failed) > c.Failure.Reset {
		s.failures = 0
	}
	action := c.Failure.Actions[min(s.failures, len(c.Failure.Actions)-1)]
	s.failures++
	s.failed = time.Now()
	m.mu.Unlock()
	if action.Type != Restart {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(action.Delay):
		// A second failure is handled when that one ends.
		_ = m.Start(ctx, name)
	}
}
