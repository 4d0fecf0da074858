package machine

import (
	"slices"
	"strings"

	"kinit/test/winsim/machine/feature"
)

// Exclusions are what Microsoft Defender leaves alone.
type Exclusions struct {
	Paths      []string `json:"paths,omitempty"`
	Processes  []string `json:"processes,omitempty"`
	Extensions []string `json:"extensions,omitempty"`
}

// HasDefender reports whether Microsoft Defender is installed.
func (m *Machine) HasDefender() bool {
	return !m.options.NoDefender && m.Features.State("Windows-Defender") == feature.Installed
}

// Exclusions returns what Microsoft Defender leaves alone.
func (m *Machine) Exclusions() Exclusions {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.state.Defender
	return Exclusions{Paths: slices.Clone(e.Paths), Processes: slices.Clone(e.Processes), Extensions: slices.Clone(e.Extensions)}
}

// Exclude adds exclusions; those that are there already stay as they are written.
func (m *Machine) Exclude(more Exclusions) error {
	return m.change(func(s *state) {
		s.Defender.Paths = merge(s.Defender.Paths, more.Paths)
		s.Defender.Processes = merge(s.Defender.Processes, more.Processes)
		s.Defender.Extensions = merge(s.Defender.Extensions, more.Extensions)
	})
}

// Include takes exclusions back.
func (m *Machine) Include(less Exclusions) error {
	return m.change(func(s *state) {
		s.Defender.Paths = without(s.Defender.Paths, less.Paths)
		s.Defender.Processes = without(s.Defender.Processes, less.Processes)
		s.Defender.Extensions = without(s.Defender.Extensions, less.Extensions)
	})
}

func has(list []string, text string) bool {
	return slices.ContainsFunc(list, func(other string) bool { return strings.EqualFold(other, text) })
}

func merge(list, more []string) []string {
	for _, text := range more {
		if !has(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func without(list, less []string) []string {
	return slices.DeleteFunc(list, func(text string) bool { return has(less, text) })
}
