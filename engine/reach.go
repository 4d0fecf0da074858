package engine

import (
	"context"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/connection"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan"
)

// reach says how the hosts of a run are reached: as the plan says or, before there is one, as the inventory does. A plan
// that is made again takes the connections over, and decides from then on.
type reach struct {
	resolver *connection.Resolver
	find     func(name string) (inventory.Settings, diag.List)
}

func newReach(o Options) *reach {
	return &reach{resolver: connection.NewResolver(connection.Options{
		Home: o.Home, Environ: o.Environ, Forks: o.Forks, Login: o.Passwords.Login, Become: o.Passwords.Become, OutputDir: o.OutputDir, Ask: o.Ask,
	})}
}

func (r *reach) settings(ctx context.Context, name string) (host.Settings, error) {
	settings, diags := r.find(name)
	if err := diags.Err(); err != nil {
		return host.Settings{}, err
	}
	return r.resolver.Settings(ctx, settings)
}

// follow lets a plan decide. How to reach a guest is known only after the tasks that create its keys.
func (r *reach) follow(p *plan.Plan, values *plan.Values) {
	if p != nil {
		r.find = func(name string) (inventory.Settings, diag.List) { return p.HostSettings(name, values) }
	}
}

// settings returns how the inventory says that a host is reached.
func (t texts) settings(name string) (inventory.Settings, diag.List) {
	i := slices.IndexFunc(t.hosts, func(h *inventory.Host) bool { return h.Name == name })
	if i >= 0 {
		return t.hosts[i].Settings, t.hosts[i].Problems
	}
	if h := t.inventory.Host(name); h != nil {
		return h.Settings, h.Problems
	}
	return inventory.Outside(name), nil
}
