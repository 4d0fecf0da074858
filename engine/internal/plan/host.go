package plan

import (
	"cmp"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/refs"
)

// HostSettings returns how a host of the plan is reached: this machine, a host of
// the inventory, or one that a host block declares with the values of tasks.
func (p *Plan) HostSettings(name string, values *Values) (inventory.Settings, diag.List) {
	if host := p.refs.Set.Hosts.Find(name); host != nil {
		return host.Settings, host.Problems
	}
	host := p.refs.Host(name)
	if host.Host == nil {
		return inventory.Outside(name), nil
	}
	if pending := p.refs.Pending(refs.Addresses(host.Args.Tasks()), values, refs.Unknown, refs.Missing); len(pending) > 0 {
		return inventory.Settings{}, diag.Errorf(&host.Spec.Range, "Host not known yet", "How the host %q is reached depends on the values of %s.", name, strings.Join(pending, ", "))
	}
	settings, diags, _ := p.refs.Settings(host, values)
	return settings, diags
}

// Ways returns the commands that lead to a host without its network.
func (p *Plan) Ways(name string) Ways {
	if host := p.refs.Set.Hosts.Made(name); host != nil {
		return host.Ways
	}
	return Ways{}
}

// Shell returns the words that take the place of a login to a host, and the host on which they
// run. Without words, it is the host itself.
func (p *Plan) Shell(name string) (on string, words []string) {
	host := p.refs.Set.Hosts.Made(name)
	if host == nil || len(host.Ways.Shell) == 0 {
		return name, nil
	}
	return cmp.Or(host.Via, inventory.Localhost), host.Ways.Shell
}

// Declared reports whether a host block of the playbook declares the host.
func (p *Plan) Declared(name string) bool { return p.refs.Set.Hosts.Made(name) != nil }

// Known reports whether a name is a host that tasks may be on.
func (p *Plan) Known(name string) bool { return p.refs.Set.Hosts.Has(name) }

// HostNames lists the hosts that tasks may be on.
func (p *Plan) HostNames() []string { return p.refs.Set.Hosts.Names() }

// HostReads returns the addresses of the tasks whose values are needed to reach a host. It
// is empty for hosts that no host block declares.
func (p *Plan) HostReads(name string) []string { return refs.Addresses(p.refs.Host(name).Reach) }

// HostNeeds returns the addresses of the tasks that create a declared host: those its block
// refers to and depends on, and those of the host it is reached through. It is empty for
// other hosts.
func (p *Plan) HostNeeds(name string) []string { return refs.Addresses(p.refs.Host(name).Creators) }
