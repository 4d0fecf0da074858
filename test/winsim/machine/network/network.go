// Package network is the network adapters of the simulated machine and the networks of
// the Host Network Service.
package network

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"kinit/test/winsim/machine/store"
)

// ErrNotFound is the failure to find an adapter or network.
var ErrNotFound = errors.New("element not found")

// ErrExists is the failure to make a network whose name is taken.
var ErrExists = errors.New("the object already exists")

// Adapter is a network adapter with its IPv4 configuration.
type Adapter struct {
	Name        string       `json:"name"` // such as "Ethernet"
	Description string       `json:"description"`
	Index       int          `json:"index"`
	MAC         string       `json:"mac"` // as 52-54-00-12-34-56
	MTU         int          `json:"mtu"`
	Address     netip.Prefix `json:"address"`
	Gateway     netip.Addr   `json:"gateway,omitzero"`
	DNS         []netip.Addr `json:"dns,omitempty"`
	Category    string       `json:"category"` // Public, Private or DomainAuthenticated
	DHCP        bool         `json:"dhcp"`
	Virtual     bool         `json:"virtual,omitempty"` // a vEthernet of a switch
	Off         bool         `json:"off,omitempty"`     // disabled, which takes its interfaces of IP away
}

// HNSNetwork is a network of the Host Network Service.
type HNSNetwork struct {
	ID         string       `json:"id"` // upper-case GUID
	Name       string       `json:"name"`
	Type       string       `json:"type"` // Overlay, L2Bridge, L2Tunnel, Transparent, NAT, ICS, Private
	Subnet     netip.Prefix `json:"subnet,omitzero"`
	Gateway    netip.Addr   `json:"gateway,omitzero"`
	VSID       int          `json:"vsid,omitempty"` // of an overlay: its VNI
	Management netip.Addr   `json:"management,omitzero"`
	Adapter    string       `json:"adapter,omitempty"` // the physical adapter it is bound to
	RouterMAC  string       `json:"router_mac,omitempty"`
	SourceMAC  string       `json:"source_mac,omitempty"`
	Persistent bool         `json:"persistent,omitempty"` // it is still there after a reboot
}

// External reports whether the network is bound to a physical adapter, which loses its
// connections when the first such network is made.
func (n HNSNetwork) External() bool {
	return slices.ContainsFunc([]string{"Overlay", "L2Bridge", "L2Tunnel", "Transparent"}, func(t string) bool {
		return strings.EqualFold(t, n.Type)
	})
}

// Endpoint is an endpoint of a network of the Host Network Service.
type Endpoint struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Network string     `json:"network"` // the network's ID
	Address netip.Addr `json:"address"`
	MAC     string     `json:"mac"`
	Remote  bool       `json:"remote,omitempty"`
}

// Stack is the network of one machine. Its methods are safe for concurrent use.
type Stack struct {
	store store.File
	drop  func() // connections are cut for some time

	mu     sync.Mutex
	state  state
	follow Follower
}

type state struct {
	Adapters  []Adapter    `json:"adapters"`
	Networks  []HNSNetwork `json:"networks,omitempty"`
	Endpoints []Endpoint   `json:"endpoints,omitempty"`
	Routes    []Route      `json:"routes,omitempty"`
}

// Open returns the network that is kept in the file, or one with the given adapters.
// drop is called when a change cuts all connections.
func Open(file store.File, adapters []Adapter, drop func()) (*Stack, error) {
	s := &Stack{store: file, drop: drop}
	found, err := file.Load(&s.state)
	if err != nil || found {
		return s, err
	}
	s.state.Adapters = adapters
	return s, file.Save(&s.state)
}

// Adapters lists the adapters.
func (s *Stack) Adapters() []Adapter { return store.List(&s.mu, &s.state.Adapters) }

// Plug is the network card that the machine is started with. One that it knows keeps its
// configuration; another one takes the place of those there are, as in a copy of a disk.
func (s *Stack) Plug(card Adapter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := func(a Adapter) bool { return !a.Virtual && strings.EqualFold(a.MAC, card.MAC) }
	if slices.ContainsFunc(s.state.Adapters, known) {
		return nil
	}
	s.state.Adapters, s.state.Networks, s.state.Endpoints, s.state.Routes = []Adapter{card}, nil, nil, nil
	return s.store.Save(&s.state)
}

// ChangeAdapter edits the adapter of that name.
func (s *Stack) ChangeAdapter(name string, edit func(*Adapter)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Adapters {
		if strings.EqualFold(s.state.Adapters[i].Name, name) {
			edit(&s.state.Adapters[i])
			return s.store.Save(&s.state)
		}
	}
	return ErrNotFound
}

// Primary returns the adapter that has the default route, or the first with an address.
func (s *Stack) Primary() (Adapter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.primary()
}

func (s *Stack) primary() (Adapter, bool) {
	for _, want := range []func(Adapter) bool{
		func(a Adapter) bool { return a.Address.IsValid() && a.Gateway.IsValid() },
		func(a Adapter) bool { return a.Address.IsValid() },
	} {
		if i := slices.IndexFunc(s.state.Adapters, want); i >= 0 {
			return s.state.Adapters[i], true
		}
	}
	return Adapter{}, false
}

// Networks lists the networks of the Host Network Service.
func (s *Stack) Networks() []HNSNetwork { return store.List(&s.mu, &s.state.Networks) }

// Network returns a network by name or ID.
func (s *Stack) Network(name string) (HNSNetwork, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.network(name)
	if i < 0 {
		return HNSNetwork{}, false
	}
	return s.state.Networks[i], true
}

func (s *Stack) network(name string) int {
	return slices.IndexFunc(s.state.Networks, func(n HNSNetwork) bool {
		return strings.EqualFold(n.Name, name) || strings.EqualFold(n.ID, name)
	})
}

// AddNetwork makes a network. The first one that is external puts a virtual switch on
// the adapter, whose address moves to an adapter of the switch: that cuts all
// connections for some time.
func (s *Stack) AddNetwork(n HNSNetwork) (HNSNetwork, error) {
	s.mu.Lock()
	made, cut, err := s.addNetwork(n)
	s.mu.Unlock()
	if cut && err == nil {
		s.drop()
	}
	return made, err
}

func (s *Stack) addNetwork(n HNSNetwork) (_ HNSNetwork, cut bool, _ error) {
	if s.network(n.Name) >= 0 {
		return HNSNetwork{}, false, ErrExists
	}
	n.ID = strings.ToUpper(uuid.NewString())
	if n.External() {
		adapter, ok := s.primary()
		if !ok {
			return HNSNetwork{}, false, ErrNotFound
		}
		cut = !adapter.Virtual
		if cut {
			s.attach(adapter)
		}
		n.Management = adapter.Address.Addr()
		n.Adapter = strings.TrimSuffix(strings.TrimPrefix(adapter.Name, "vEthernet ("), ")")
	}
	if n.RouterMAC == "" {
		n.RouterMAC = routerMAC()
	}
	s.state.Networks = append(s.state.Networks, n)
	return n, cut, s.store.Save(&s.state)
}

// routerMAC is a new address of a distributed router: Windows takes those of overlay
// networks from 00-15-5D.
func routerMAC() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("00-15-5D-%02X-%02X-%02X", b[0], b[1], b[2])
}

// attach moves an adapter's address to an adapter of a virtual switch.
func (s *Stack) attach(a Adapter) {
	virtual := a
	virtual.Name = "vEthernet (" + a.Name + ")"
	virtual.Description = "Hyper-V Virtual Ethernet Adapter"
	virtual.Virtual = true
	for i := range s.state.Adapters {
		virtual.Index = max(virtual.Index, s.state.Adapters[i].Index+1)
		if s.state.Adapters[i].Name == a.Name {
			s.state.Adapters[i].Address, s.state.Adapters[i].Gateway, s.state.Adapters[i].DNS = netip.Prefix{}, netip.Addr{}, nil
		}
	}
	s.state.Adapters = append(s.state.Adapters, virtual)
}

// detach undoes attach.
func (s *Stack) detach() {
	for _, virtual := range s.state.Adapters {
		for i, a := range s.state.Adapters {
			if virtual.Virtual && virtual.Name == "vEthernet ("+a.Name+")" {
				s.state.Adapters[i].Address, s.state.Adapters[i].Gateway, s.state.Adapters[i].DNS = virtual.Address, virtual.Gateway, virtual.DNS
				s.state.Adapters[i].MTU = virtual.MTU
			}
		}
	}
	s.state.Adapters = slices.DeleteFunc(s.state.Adapters, func(a Adapter) bool { return a.Virtual })
}

// RemoveNetwork deletes a network with its endpoints. The last external one takes the
// virtual switch with it, which cuts all connections again.
func (s *Stack) RemoveNetwork(name string) error {
	s.mu.Lock()
	cut, err := s.removeNetwork(name)
	s.mu.Unlock()
	if cut && err == nil {
		s.drop()
	}
	return err
}

func (s *Stack) removeNetwork(name string) (cut bool, _ error) {
	i := s.network(name)
	if i < 0 {
		return false, ErrNotFound
	}
	n := s.state.Networks[i]
	s.state.Networks = slices.Delete(s.state.Networks, i, i+1)
	s.state.Endpoints = slices.DeleteFunc(s.state.Endpoints, func(e Endpoint) bool { return e.Network == n.ID })
	if n.External() && !slices.ContainsFunc(s.state.Networks, HNSNetwork.External) {
		s.detach()
		cut = true
	}
	return cut, s.store.Save(&s.state)
}

// Endpoints lists the endpoints.
func (s *Stack) Endpoints() []Endpoint { return store.List(&s.mu, &s.state.Endpoints) }

// AddEndpoint makes an endpoint on a network, by its name or ID. One of the same
// address there is returned instead.
func (s *Stack) AddEndpoint(network string, e Endpoint) (Endpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.network(network)
	if i < 0 {
		return Endpoint{}, ErrNotFound
	}
	e.Network = s.state.Networks[i].ID
	for _, old := range s.state.Endpoints {
		if old.Network == e.Network && old.Address == e.Address {
			return old, nil
		}
	}
	e.ID = strings.ToUpper(uuid.NewString())
	s.state.Endpoints = append(s.state.Endpoints, e)
	return e, s.store.Save(&s.state)
}

// Reboot drops what does not survive one: networks and routes that are not persistent, and
// all endpoints.
func (s *Stack) Reboot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Endpoints = nil
	s.state.Networks = slices.DeleteFunc(s.state.Networks, func(n HNSNetwork) bool { return !n.Persistent })
	for _, r := range s.state.Routes {
		if !r.Persistent {
			if err := s.tell(r, false); err != nil {
				return err
			}
		}
	}
	s.state.Routes = slices.DeleteFunc(s.state.Routes, func(r Route) bool { return !r.Persistent })
	if !slices.ContainsFunc(s.state.Networks, HNSNetwork.External) {
		s.detach()
	}
	return s.store.Save(&s.state)
}
