// Package inventory reads the machines and how they are reached, from kinit's inventories
// in HCL and from those of Ansible.
//
// It only reads: the transports connect, and find out which of a host's settings come from
// ~/.ssh/config.
package inventory

import (
	"context"
	"io/fs"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/spec"
	"kinit/engine/secret"
)

// Localhost is the name of this machine, which is always known.
const Localhost = "localhost"

// The names of the groups that always exist.
const (
	All       = source.All
	Ungrouped = source.Ungrouped
)

// The values of Settings.Transport.
const (
	SSH   = "ssh"
	WinRM = "winrm"
	Local = "local"
)

// The values of Settings.OS.
const (
	Linux   = "linux"
	Windows = "windows"
)

// The values of Settings.Auth, which are ways to log in over WinRM.
const (
	Basic       = "basic"
	NTLM        = "ntlm"
	Certificate = "certificate"
)

// Settings is how one host is reached. It is plain data.
type Settings struct {
	Name          string
	Address       string       // a name or an IP address; the host's name if missing
	Port          int          // 0 means the transport's default
	User          string       // empty means the transport's default
	Transport     string       // SSH, WinRM or Local
	Via           string       // the name of the host to go through, empty means none
	Become        string       // the user to become after login, empty means none
	IdentityFiles []string     // absolute paths of private keys
	KnownHosts    string       // absolute path; empty means ~/.ssh/known_hosts
	HostKeys      []string     // public host keys to accept, as in known_hosts without the name
	PrivateKey    secret.Value // a private key's text, of hosts that tasks declare
	Password      secret.Value // of WinRM
	OS            string       // Linux or Windows; empty means the transport's default
	Auth          string       // of WinRM: Basic, NTLM or Certificate; empty means Basic
	Certificate   string       // of WinRM: the only accepted certificate, in PEM
	// ConnectTimeout is how long each of the connection, the login and a first shell may
	// take; 0 means the transport's default.
	ConnectTimeout time.Duration
	Pace           float64 // how many times slower than an ordinary machine it is; 0 means measure
	FromSSHConfig  bool    // missing settings come from ~/.ssh/config, for the Address
}

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

// Sources is where inventories come from and how names that are in none are
// looked up.
type Sources struct {
	Cwd     string   // an absolute path
	Home    string   // the user's home folder
	Builtin fs.FS    // inventories inside the program; may be nil
	Environ []string // KEY=value pairs, for inventory scripts
	// Timeout is how long an inventory script may take; 0 means a minute.
	Timeout time.Duration
	// Resolves reports whether a name has an address; nil asks nobody and says no.
	Resolves func(ctx context.Context, name string) bool
}

func (s Sources) files() spec.Sources {
	return spec.Sources{Cwd: s.Cwd, Home: s.Home, Builtin: s.Builtin}
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

// add adds a host.
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
	names := make([]string, len(inv.Hosts))
	for i, h := range inv.Hosts {
		names[i] = h.Name
	}
	return names
}

// GroupNames are the names of the groups that are declared, in the order of the files.
func (inv *Inventory) GroupNames() []string {
	names := make([]string, len(inv.Groups))
	for i, g := range inv.Groups {
		names[i] = g.Name
	}
	return names
}

// Outside is the settings of a host that no inventory has.
func Outside(name string) Settings {
	if name == Localhost {
		return Settings{Name: name, Address: name, Transport: Local}
	}
	return Settings{Name: name, Address: name, Transport: SSH, FromSSHConfig: true}
}
