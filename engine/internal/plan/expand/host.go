package expand

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// Hosts holds every machine that tasks may be on.
type Hosts struct {
	Inventory *inventory.Inventory
	Selected  []*inventory.Host
	Declared  []*Host // by host blocks, in their order

	byName map[string]*inventory.Host // the selected ones
	made   map[string]*Host           // the declared ones
}

// Host is an instance of a host block.
type Host struct {
	Name      string
	Spec      *spec.Host
	Via       string // empty means none
	Vars      cty.Value
	Scope     *hcl.EvalContext // with each
	Namespace *Namespace
	Ways      Ways
}

// Ways are commands on the machine through which a host is reached. They do not need the
// host's network; each may be missing.
type Ways struct {
	Console     []string // connects the terminal to the host's console
	TakeConsole []string // the same, but ends another session first
	Screen      []string // prints the address of the host's VNC server, as virsh vncdisplay does
	Shell       []string // takes the place of a login: a shell, or the command of the words after it
}

// newHosts returns the hosts that exist before the playbook declares any.
func newHosts(inv *inventory.Inventory, selected []*inventory.Host) *Hosts {
	h := &Hosts{Inventory: inv, Selected: selected, byName: map[string]*inventory.Host{}, made: map[string]*Host{}}
	for _, host := range selected {
		if h.byName[host.Name] == nil {
			h.byName[host.Name] = host
		}
	}
	return h
}

// Names lists suggestions for a mistyped name.
func (h *Hosts) Names() []string {
	names := []string{inventory.Localhost}
	for _, host := range slices.Concat(h.Selected, h.Inventory.Hosts) {
		names = append(names, host.Name)
	}
	for _, host := range h.Declared {
		names = append(names, host.Name)
	}
	return names
}

// Has reports whether a name is a host that tasks may be on.
func (h *Hosts) Has(name string) bool {
	return name == inventory.Localhost || h.made[name] != nil || h.Find(name) != nil
}

// Find returns a host of the command line or the inventory, or nil.
func (h *Hosts) Find(name string) *inventory.Host {
	if host := h.byName[name]; host != nil {
		return host
	}
	return h.Inventory.Host(name)
}

// Value returns the value of a host for expressions. The address of one that a block declares is
// left to a function.
func (h *Hosts) Value(name string, address func(*Host) cty.Value) cty.Value {
	if host := h.Find(name); host != nil {
		return host.Value()
	}
	at, vars := cty.StringVal(name), cty.EmptyObjectVal
	if host := h.made[name]; host != nil {
		at, vars = address(host), host.Vars
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal(name), "address": at, "groups": cty.ListValEmpty(cty.String), "vars": vars,
	})
}

// Made returns a host that a host block declares, or nil.
func (h *Hosts) Made(name string) *Host { return h.made[name] }

// Chain returns a declared host and the declared hosts it is reached through.
func (h *Hosts) Chain(name string) []*Host {
	var all []*Host
	for host := h.made[name]; host != nil && !slices.Contains(all, host); host = h.made[host.Via] {
		all = append(all, host)
	}
	return all
}
