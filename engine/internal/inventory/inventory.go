// Package inventory reads which machines there are and how they are reached.
//
// It only reads: connecting is for the transports, and which of a host's
// settings come from ~/.ssh/config is theirs to find out.
package inventory

import (
	"context"
	"io/fs"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/spec"
	"kinit/engine/secret"
)

// Localhost is the name of this machine, which is always known.
const Localhost = "localhost"

// The values of Settings.Transport.
const (
	SSH   = "ssh"
	WinRM = "winrm"
	Local = "local"
)

// Settings is how one host is reached. It is plain data.
type Settings struct {
	Name          string
	Address       string       // a name or an IP address; the host's name when none is given
	Port          int          // 0 means the transport's own
	User          string       // empty means the transport's own
	Transport     string       // SSH, WinRM or Local
	Via           string       // the name of the host to go through, empty means none
	Become        string       // the user to become after login, empty means none
	IdentityFiles []string     // absolute paths of private keys
	KnownHosts    string       // absolute path; empty means ~/.ssh/known_hosts
	HostKeys      []string     // public host keys to accept, as in known_hosts without the name
	PrivateKey    secret.Value // a private key's text, of hosts that tasks declare
	Password      secret.Value // of WinRM
	FromSSHConfig bool         // in no inventory: ~/.ssh/config or DNS knows the name
}

// Host is a machine tasks may work on.
type Host struct {
	Settings
	Groups []string             // the groups it is in, directly or not, in the order of the inventory
	Vars   map[string]cty.Value // its own over its groups', an inner group's over an outer one's
	Range  hcl.Range            // of its block; zero when it has none
}

// Group is a named set of hosts.
type Group struct {
	Name   string
	Hosts  []string // direct members
	Groups []string // groups whose members are members too
	Vars   map[string]cty.Value
	Range  hcl.Range
}

// Inventory is what the files say, merged.
type Inventory struct {
	Hosts   []*Host // in the order of the files
	Groups  []*Group
	Vars    map[string]cty.Value // values for a spec's variables
	Sources map[string]*hcl.File // every file that was read, by the name its ranges carry
}

// Sources is where inventories come from and how names that are in none are
// looked up.
type Sources struct {
	Cwd     string // an absolute path
	Home    string // the user's home folder
	Builtin fs.FS  // inventories inside the program; may be nil
	// Resolves tells whether a name has an address; nil asks nobody and says no.
	Resolves func(ctx context.Context, name string) bool
}

func (s Sources) files() spec.Sources {
	return spec.Sources{Cwd: s.Cwd, Home: s.Home, Builtin: s.Builtin}
}

// Host returns the host with a name, or nil.
func (inv *Inventory) Host(name string) *Host {
	for _, h := range inv.Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// group returns the group with a name, or nil.
func (inv *Inventory) group(name string) *Group {
	for _, g := range inv.Groups {
		if g.Name == name {
			return g
		}
	}
	return nil
}

// Outside is the settings of a host that no inventory has.
func Outside(name string) Settings {
	if name == Localhost {
		return Settings{Name: name, Address: name, Transport: Local}
	}
	return Settings{Name: name, Address: name, Transport: SSH, FromSSHConfig: true}
}

// Value is the hosts as expressions see them: name → {name, address, vars}.
func Value(hosts []*Host) cty.Value {
	all := map[string]cty.Value{}
	for _, h := range hosts {
		all[h.Name] = h.Value()
	}
	return cty.ObjectVal(all)
}

// Value is the host as expressions see it.
func (h *Host) Value() cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"name":    cty.StringVal(h.Name),
		"address": cty.StringVal(h.Address),
		"vars":    cty.ObjectVal(h.Vars),
	})
}
