package network

import (
	"net/netip"
	"slices"

	"kinit/test/winsim/machine/store"
)

// Route is a way to a network that somebody has added, besides the default one.
type Route struct {
	Prefix     netip.Prefix `json:"prefix"`
	Gateway    netip.Addr   `json:"gateway"`
	Persistent bool         `json:"persistent,omitempty"` // it is still there after a reboot
}

// Follower is told of each route that comes (true) or goes.
type Follower func(r Route, there bool) error

// Routes lists the routes that were added.
func (s *Stack) Routes() []Route { return store.List(&s.mu, &s.state.Routes) }

// Follow tells a follower of the routes that there are, and of every change from now on.
func (s *Stack) Follow(f Follower) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow = f
	for _, r := range s.state.Routes {
		if err := f(r, true); err != nil {
			return err
		}
	}
	return nil
}

// AddRoute adds a route by a gateway on the network of an adapter.
func (s *Stack) AddRoute(r Route) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	onLink := func(a Adapter) bool { return a.Address.IsValid() && a.Address.Masked().Contains(r.Gateway) }
	if !slices.ContainsFunc(s.state.Adapters, onLink) {
		return ErrNotFound
	}
	if s.route(r) >= 0 {
		return ErrExists
	}
	if err := s.tell(r, true); err != nil {
		return err
	}
	s.state.Routes = append(s.state.Routes, r)
	return s.store.Save(&s.state)
}

// RemoveRoute removes the route to a network by a gateway.
func (s *Stack) RemoveRoute(r Route) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.route(r)
	if i < 0 {
		return ErrNotFound
	}
	if err := s.tell(r, false); err != nil {
		return err
	}
	s.state.Routes = slices.Delete(s.state.Routes, i, i+1)
	return s.store.Save(&s.state)
}

func (s *Stack) route(r Route) int {
	return slices.IndexFunc(s.state.Routes, func(old Route) bool { return old.Prefix == r.Prefix && old.Gateway == r.Gateway })
}

func (s *Stack) tell(r Route, there bool) error {
	if s.follow == nil {
		return nil
	}
	return s.follow(r, there)
}
