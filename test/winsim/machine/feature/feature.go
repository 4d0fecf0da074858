// Package feature is the roles and features of the simulated machine: which there are,
// which are installed, and which wait for a reboot.
//
// Server Manager and DISM see the same features by other names; both are here. The
// catalogue has what servers that run containers need and a few more to tell a
// feature that is there from one that is not.
package feature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kinit/test/winsim/machine/store"
)

// State is what a feature is, as Server Manager names it.
type State string

// The states. A pending one takes effect with the next reboot.
const (
	Available        State = "Available"
	Installed        State = "Installed"
	InstallPending   State = "InstallPending"
	UninstallPending State = "UninstallPending"
	Removed          State = "Removed" // its files are not on the disk
)

// ErrSource is the failure to install what is not on the disk and cannot be fetched.
var ErrSource = errors.New("the source files could not be found")

// Feature is an entry of the catalogue.
type Feature struct {
	Name     string   // of Server Manager
	Optional string   // of DISM
	Display  string   // in English
	German   string   // the same in German
	Kind     string   // Role, Role Service or Feature
	Parent   string   // the name of the feature it is shown below
	Needs    []string // features that must be installed with it
	Tools    []string // what -IncludeManagementTools adds
	Restart  bool     // it takes effect with a reboot
	Services []Service
}

// Service is a service that a feature brings.
type Service struct{ Name, Display string }

// NotFound is the error of a name that the catalogue has not.
type NotFound struct{ Name string }

// Error says which name.
func (e *NotFound) Error() string { return fmt.Sprintf("feature %q was not found", e.Name) }

// Set is the features of one machine. Its methods are safe for concurrent use.
type Set struct {
	store store.File

	mu     sync.Mutex
	states map[string]State // by name; what is not in it is available
}

// Open returns the features that are kept in the file, or those of a fresh machine.
func Open(file store.File) (*Set, error) {
	s := &Set{store: file, states: map[string]State{}}
	found, err := file.Load(&s.states)
	if err != nil || found {
		return s, err
	}
	for _, name := range []string{"FileAndStorage-Services", "Storage-Services", "NET-Framework-45-Features", "PowerShellRoot", "PowerShell", "Windows-Defender"} {
		s.states[name] = Installed
	}
	s.states["NET-Framework-Core"] = Removed
	return s, file.Save(s.states)
}

// Find returns a feature by its name of Server Manager or of DISM.
func Find(name string) (Feature, error) {
	for _, f := range Catalogue() {
		if strings.EqualFold(f.Name, name) || f.Optional != "" && strings.EqualFold(f.Optional, name) {
			return f, nil
		}
	}
	return Feature{}, &NotFound{Name: name}
}

// State returns a feature's state.
func (s *Set) State(name string) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state(name)
}

func (s *Set) state(name string) State {
	if state, ok := s.states[name]; ok {
		return state
	}
	return Available
}

// Change is what an installation or removal did.
type Change struct {
	Features []string // what was changed, in order
	Restart  bool     // it takes effect with a reboot
}

// Install installs features with what they need. What is installed already, or
// pending, is left.
func (s *Set) Install(names []string, tools, below bool) (Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted, err := closure(names, tools, below)
	if err != nil {
		return Change{}, err
	}
	var c Change
	for _, f := range wanted {
		switch s.state(f.Name) {
		case Installed, InstallPending:
			continue
		case Removed:
			return Change{}, ErrSource
		case UninstallPending:
			s.states[f.Name] = Installed
		case Available:
			s.states[f.Name] = Installed
			if f.Restart {
				s.states[f.Name], c.Restart = InstallPending, true
			}
		}
		c.Features = append(c.Features, f.Name)
	}
	return c, s.store.Save(s.states)
}

// Remove removes features with those that need them.
func (s *Set) Remove(names []string) (Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var c Change
	for _, name := range names {
		f, err := Find(name)
		if err != nil {
			return Change{}, err
		}
		s.remove(f, &c)
	}
	return c, s.store.Save(s.states)
}

func (s *Set) remove(f Feature, c *Change) {
	for _, other := range Catalogue() {
		if other.Parent == f.Name || slices.Contains(other.Needs, f.Name) {
			s.remove(other, c)
		}
	}
	switch s.state(f.Name) {
	case InstallPending:
		s.states[f.Name] = Available
	case Installed:
		s.states[f.Name] = Available
		if f.Restart {
			s.states[f.Name], c.Restart = UninstallPending, true
		}
	default:
		return
	}
	c.Features = append(c.Features, f.Name)
}

// closure lists features with all they need, what is needed first.
func closure(names []string, tools, below bool) ([]Feature, error) {
	var all []Feature
	for _, name := range names {
		f, err := Find(name)
		if err != nil {
			return nil, err
		}
		first := slices.Clone(f.Needs)
		if f.Parent != "" {
			first = append(first, f.Parent)
		}
		needed, err := closure(first, false, false)
		if err != nil {
			return nil, err
		}
		all = append(append(all, needed...), f)
		var more []string
		if tools {
			more = append(more, f.Tools...)
		}
		if below {
			more = append(more, Below(f.Name)...)
		}
		extra, err := closure(more, false, below)
		if err != nil {
			return nil, err
		}
		all = append(all, extra...)
	}
	return all, nil
}

// Below lists the features that are shown below one.
func Below(name string) []string {
	var names []string
	for _, f := range Catalogue() {
		if f.Parent == name {
			names = append(names, f.Name)
		}
	}
	return names
}

// Pending reports whether a reboot is needed.
func (s *Set) Pending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.states {
		if state == InstallPending || state == UninstallPending {
			return true
		}
	}
	return false
}

// Reboot makes what is pending take effect. It returns the features that were
// installed and those that were removed.
func (s *Set) Reboot() (installed, removed []Feature, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range Catalogue() {
		switch s.state(f.Name) {
		case InstallPending:
			s.states[f.Name] = Installed
			installed = append(installed, f)
		case UninstallPending:
			s.states[f.Name] = Available
			removed = append(removed, f)
		}
	}
	return installed, removed, s.store.Save(s.states)
}
