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
	m.startAll(up, log, false)
	m.workers.Go(func() { m.startAll(up, log, true) })
}

// startAll starts the automatic services, those that are delayed or the others.
func (m *Manager) startAll(ctx context.Context, log func(string, error), delayed bool) {
	for _, name := range m.Names() {
		c, err := m.Config(name)
		if err != nil || c.Start != Auto || c.Delayed != delayed {
			continue
		}
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
