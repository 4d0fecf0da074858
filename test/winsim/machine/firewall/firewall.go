// Package firewall is Windows Defender Firewall of the simulated machine: profiles,
// rules, and whether a connection to a port comes in.
package firewall

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kinit/test/winsim/machine/store"
)

// The errors, which PowerShell gives as CIM errors.
var (
	ErrExists   = errors.New("cannot create a file when that file already exists")
	ErrNotFound = errors.New("no matching rule")
)

// Rule is a rule with its filters. Empty filters are "Any".
type Rule struct {
	Name          string   `json:"name"` // what identifies it
	DisplayName   string   `json:"display_name"`
	Description   string   `json:"description,omitempty"`
	Group         string   `json:"group,omitempty"`
	DisplayGroup  string   `json:"display_group,omitempty"`
	Enabled       bool     `json:"enabled"`
	Profile       []string `json:"profile,omitempty"` // Domain, Private, Public
	Direction     string   `json:"direction"`         // Inbound or Outbound
	Action        string   `json:"action"`            // Allow or Block
	Protocol      string   `json:"protocol,omitempty"`
	LocalPort     []string `json:"local_port,omitempty"` // numbers and ranges
	RemotePort    []string `json:"remote_port,omitempty"`
	LocalAddress  []string `json:"local_address,omitempty"`
	RemoteAddress []string `json:"remote_address,omitempty"`
	Program       string   `json:"program,omitempty"`
	Service       string   `json:"service,omitempty"`
	ICMPType      []string `json:"icmp_type,omitempty"`
	EdgeTraversal string   `json:"edge_traversal,omitempty"`
}

// Profile is the settings of a kind of network.
type Profile struct {
	Name            string `json:"name"` // Domain, Private or Public
	Enabled         bool   `json:"enabled"`
	DefaultInbound  string `json:"default_inbound"` // NotConfigured, Allow or Block
	DefaultOutbound string `json:"default_outbound"`
}

// Wall is the firewall of one machine. Its methods are safe for concurrent use.
type Wall struct {
	store store.File

	mu    sync.Mutex
	state state
}

type state struct {
	Profiles []Profile `json:"profiles"`
	Rules    []Rule    `json:"rules"`
}

// Open returns the firewall that is kept in the file, or that of a fresh machine: all
// profiles on, and the rules of fresh.
func Open(file store.File, fresh []Rule) (*Wall, error) {
	w := &Wall{store: file}
	found, err := file.Load(&w.state)
	if err != nil || found {
		return w, err
	}
	w.state.Rules = fresh
	for _, name := range []string{"Domain", "Private", "Public"} {
		w.state.Profiles = append(w.state.Profiles, Profile{Name: name, Enabled: true, DefaultInbound: "NotConfigured", DefaultOutbound: "NotConfigured"})
	}
	return w, file.Save(&w.state)
}

// Rules lists the rules in the order they were made.
func (w *Wall) Rules() []Rule { return store.List(&w.mu, &w.state.Rules) }

// Add makes a rule, whose name must be new.
func (w *Wall) Add(r Rule) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index(r.Name) >= 0 {
		return ErrExists
	}
	w.state.Rules = append(w.state.Rules, r)
	return w.store.Save(&w.state)
}

func (w *Wall) index(name string) int {
	return slices.IndexFunc(w.state.Rules, func(r Rule) bool { return strings.EqualFold(r.Name, name) })
}

// Change edits a rule.
func (w *Wall) Change(name string, edit func(*Rule)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.index(name)
	if i < 0 {
		return ErrNotFound
	}
	edit(&w.state.Rules[i])
	return w.store.Save(&w.state)
}

// Remove deletes a rule.
func (w *Wall) Remove(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.index(name)
	if i < 0 {
		return ErrNotFound
	}
	w.state.Rules = slices.Delete(w.state.Rules, i, i+1)
	return w.store.Save(&w.state)
}

// Profiles lists the profiles.
func (w *Wall) Profiles() []Profile { return store.List(&w.mu, &w.state.Profiles) }

// ChangeProfile edits a profile.
func (w *Wall) ChangeProfile(name string, edit func(*Profile)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.state.Profiles {
		if strings.EqualFold(w.state.Profiles[i].Name, name) {
			edit(&w.state.Profiles[i])
			return w.store.Save(&w.state)
		}
	}
	return ErrNotFound
}

// Admits reports whether a TCP connection to a port comes in on a network of that
// profile. A rule that blocks wins.
func (w *Wall) Admits(profile string, port int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	admitted := false
	for _, p := range w.state.Profiles {
		if strings.EqualFold(p.Name, profile) && (!p.Enabled || p.DefaultInbound == "Allow") {
			admitted = true
		}
	}
	for _, r := range w.state.Rules {
		if !r.matches(profile, port) {
			continue
		}
		if r.Action == "Block" {
			return false
		}
		admitted = true
	}
	return admitted
}

func (r Rule) matches(profile string, port int) bool {
	inProfile := len(r.Profile) == 0 || slices.ContainsFunc(r.Profile, func(p string) bool { return strings.EqualFold(p, profile) })
	protocol := r.Protocol == "" || strings.EqualFold(r.Protocol, "Any") || strings.EqualFold(r.Protocol, "TCP")
	return r.Enabled && r.Direction == "Inbound" && inProfile && protocol && inPorts(r.LocalPort, port)
}

func inPorts(ports []string, port int) bool {
	if len(ports) == 0 || slices.Contains(ports, "Any") {
		return true
	}
	for _, text := range ports {
		low, high, isRange := strings.Cut(text, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 == nil && err2 == nil && from <= port && port <= to {
			return true
		}
	}
	return false
}
