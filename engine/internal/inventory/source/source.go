// Package source has the content of one inventory as values that do not depend on its
// format: hosts, groups and variables, each with its place. It merges and resolves nothing.
package source

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// The names of the groups that are always there.
const (
	All       = "all"       // of every host
	Ungrouped = "ungrouped" // of the hosts that are in no other group
)

// Unread says why the value of a variable is not known.
type Unread string

// The reasons.
const (
	Known Unread = ""
	Jinja Unread = "a Jinja expression, which kinit does not evaluate"
	Vault Unread = "encrypted by Ansible Vault, and there is no password that decrypts it"
)

// Value is what a variable was set to.
type Value struct {
	Value  cty.Value // cty.NilVal when it is not known
	Unread Unread
	Secret bool      // it was encrypted
	Why    string    // why it was not decrypted, if it could have been
	At     hcl.Range // of the value, or of the whole assignment
}

// Vars are variables by name.
type Vars map[string]Value

// Ref is a name where it is used.
type Ref struct {
	Name string
	At   hcl.Range
}

// Host is a host as one source has it.
type Host struct {
	Ref       // where it is named first
	Vars Vars // the last assignment of a name
}

// Group is a group as one source has it.
type Group struct {
	Ref
	Hosts    []Ref
	Children []Ref
	Vars     Vars
}

// Document is what a source says. The zero value says nothing.
type Document struct {
	Hosts  []*Host
	Groups []*Group
	diag.Collector

	hosts  map[string]*Host
	groups map[string]*Group
}

// Conceal makes all values secret, and at the place of all that the document has. Its warnings, which may quote values, are dropped.
func (d *Document) Conceal(at hcl.Range) {
	conceal := func(vars Vars) {
		for name, value := range vars {
			value.At, value.Secret = at, true
			vars[name] = value
		}
	}
	d.Diags = nil
	for _, h := range d.Hosts {
		h.At = at
		conceal(h.Vars)
	}
	for _, g := range d.Groups {
		g.At = at
		conceal(g.Vars)
		for _, refs := range [][]Ref{g.Hosts, g.Children} {
			for i := range refs {
				refs[i].At = at
			}
		}
	}
}

// Host returns the host with a name, and adds it when it is not there.
func (d *Document) Host(name string, at hcl.Range) *Host {
	if d.hosts == nil {
		d.hosts = map[string]*Host{}
	}
	h := d.hosts[name]
	if h == nil {
		h = &Host{Ref: Ref{name, at}, Vars: Vars{}}
		d.hosts[name] = h
		d.Hosts = append(d.Hosts, h)
	}
	return h
}

// Group returns the group with a name, and adds it when it is not there.
func (d *Document) Group(name string, at hcl.Range) *Group {
	if g := d.Declared(name); g != nil {
		return g
	}
	if d.groups == nil {
		d.groups = map[string]*Group{}
	}
	g := &Group{Ref: Ref{name, at}, Vars: Vars{}}
	d.groups[name] = g
	d.Groups = append(d.Groups, g)
	return g
}

// Declared returns the group with a name, or nil.
func (d *Document) Declared(name string) *Group { return d.groups[name] }
