package plan

// Known tells whether a name is a host that tasks may be on.
func (p *Plan) Known(name string) bool { return p.hosts.has(name) }

// HostNames lists the hosts that tasks may be on.
func (p *Plan) HostNames() []string { return p.hosts.names() }

// HostReads returns the addresses of the tasks whose values it takes to reach a
// host. It is empty for hosts that no host block declares.
func (p *Plan) HostReads(name string) []string { return addresses(p.hosts.reads(name)) }
