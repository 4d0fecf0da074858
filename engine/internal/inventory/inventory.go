// Package inventory reads the machines and how they are reached, from kinit's inventories
// in HCL and from those of Ansible.
//
// It only reads: the transports connect, and find out which of a host's settings come from
// ~/.ssh/config.
package inventory

import (
	"net/url"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/lists"
	"kinit/engine/secret"
)

// The names of the groups that always exist.
const (
	All       = source.All
	Ungrouped = source.Ungrouped
)

// Host is a machine tasks may work on.
type Host struct {
	Settings
	Groups   []string             // the groups it is in, directly or not, in the order of the inventory
	Vars     map[string]cty.Value // from all places, by priority
	Origins  map[string]Origin    // the source of each variable, including unreadable ones
	Problems diag.List            // why it cannot be used as its inventory describes it
	Range    hcl.Range            // where it is declared; zero if only groups name it

	layer
	isHCL   bool      // it has an HCL block
	mention hcl.Range // where a group names it, if nothing declares it
}

// Origin is where the value of a variable comes from.
type Origin struct {
	From   string        // "host", or "group" and its name
	At     hcl.Range     // of the value
	Unread source.Unread // why the value is not known; empty if it is known
	Why    string        // why it was not decrypted, if it could have been
	Secret bool          // it was encrypted, so it is a secret whatever its name
}

// Group is a named set of hosts.
type Group struct {
	Name   string
	Hosts  []string  // direct members
	Groups []string  // groups whose members are members too
	Range  hcl.Range // where it is declared first

	layer
	has      map[string]bool // its Hosts
	priority int             // for its variables among groups of the same depth; 1 by default
	depth    int             // how many groups there are around it
	isHCL    bool
}

// layer is what a host or group adds to the hosts in it.
type layer struct {
	vars   source.Vars // said by inventories
	folder source.Vars // said by the folders host_vars and group_vars
	given  given
}

// Inventory is what the files say, merged.
type Inventory struct {
	Hosts   []*Host // in the order of the files
	Groups  []*Group
	Vars    map[string]cty.Value // values for a spec's variables
	Lock    *Lock                // where the team keeps its locks; nil means on the hosts alone
	Sources map[string]*hcl.File // every text that was read, by the name its ranges carry

	all, ungrouped Group            // always there; in none of the lists
	reserved       []string         // files whose hosts are selected by name alone
	hosts          map[string]*Host // by name, with machines that are only gone through
	groups         map[string]*Group
	loose          []string // what look like secrets in texts that could not be read
}

// Host returns the host with a name, or nil. Machines that others are reached
// through count too.
func (inv *Inventory) Host(name string) *Host {
	if inv.hosts != nil {
		return inv.hosts[name]
	}
	for _, h := range inv.Hosts { // it was made by hand
		if h.Name == name {
			return h
		}
	}
	return nil
}

func (inv *Inventory) add(h *Host) {
	inv.Hosts = append(inv.Hosts, h)
	inv.hosts[h.Name] = h
}

// group returns the group with a name, or nil. Those that are always there count.
func (inv *Inventory) group(name string) *Group {
	switch name {
	case source.All:
		return &inv.all
	case source.Ungrouped:
		return &inv.ungrouped
	}
	return inv.groups[name]
}

// groupNamed returns the group with a name, and adds it when it is not there.
func (inv *Inventory) groupNamed(name string, at hcl.Range) *Group {
	g := inv.group(name)
	if g == nil {
		g = &Group{Name: name, Range: at, priority: 1}
		inv.groups[name] = g
		inv.Groups = append(inv.Groups, g)
	}
	return g
}

// HostNames are the names of all hosts, in the order of the files.
func (inv *Inventory) HostNames() []string {
	return lists.Map(inv.Hosts, func(h *Host) string { return h.Name })
}

// GroupNames are the names of the groups that are declared, in the order of the files.
func (inv *Inventory) GroupNames() []string {
	return lists.Map(inv.Groups, func(g *Group) string { return g.Name })
}

// Members lists the hosts of a group, its own first, and whether the group exists. The
// groups must have no cycle.
func (inv *Inventory) Members(group string) (hosts []string, ok bool) {
	g := inv.group(group)
	if g == nil {
		return nil, false
	}
	switch g {
	case &inv.all:
		return inv.HostNames(), true
	case &inv.ungrouped:
		return inv.ungrouped.Hosts, true
	}
	hosts = slices.Clone(g.Hosts)
	for _, inner := range g.Groups {
		more, _ := inv.Members(inner)
		hosts = append(hosts, more...)
	}
	return hosts, true
}

// problem adds an error, which hosts with the same place share.
func (h *Host) problem(r hcl.Range, summary, format string, args ...any) {
	h.Problems = append(h.Problems, diag.Errorf(at(r), summary, format, args...)...)
}

// at is a place that may be nowhere.
func at(r hcl.Range) *hcl.Range {
	if r.Filename == "" {
		return nil
	}
	return &r
}

// DefaultPrefix is the default prefix of the keys of locks.
const DefaultPrefix = "/kinit/locks"

// Lock is the one place where a team keeps its locks.
type Lock struct {
	Etcd  Etcd
	Range hcl.Range // of the block
}

// Etcd is how an etcd is reached. It is plain data.
type Etcd struct {
	Endpoints   []string     // https://HOST:PORT, or all of them http://HOST:PORT
	CA          string       // in PEM: who signs the servers' certificates; empty means whom this machine trusts
	Certificate string       // in PEM: the client's; empty means none
	Key         secret.Value // of the certificate, in PEM
	User        string       // empty means none
	Password    secret.Value // of the user
	Prefix      string       // of all keys
}

// secrets lists the texts in it that are secret, also those that stand where they should not.
func (e Etcd) secrets() []string {
	all := []string{e.Key.Reveal(), e.Password.Reveal()}
	for _, text := range e.Endpoints {
		if u, err := url.Parse(text); err == nil {
			password, _ := u.User.Password()
			all = append(all, password)
		}
	}
	return all
}
