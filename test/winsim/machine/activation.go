package machine

// Activated reports whether the machine's Windows is activated.
func (m *Machine) Activated() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Activated
}

// Activate activates it; nothing outside is asked.
func (m *Machine) Activate() error {
	return m.change(func(s *state) { s.Activated = true })
}
