package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/module"
	"kinit/engine/transport/ssh"
)

// settingsSource returns how hosts are reached: its plan knows. A plan that is made again takes the connections over, and
// becomes the plan of their source.
type settingsSource struct{ plan *planned }

// connects prepares the connections. Each is made when a task needs it: how to reach a guest
// is known only after the tasks that create its keys.
func (p *planned) connects() {
	source := &settingsSource{plan: p}
	p.source = source
	p.connections = host.NewConnections(func(_ context.Context, name string) (host.Settings, error) {
		return source.plan.settings(name)
	}, p.options.Redactor)
	if p.mode == modeStatus {
		p.connections.Once(p.options.Within)
	}
}

func (p *planned) settings(name string) (host.Settings, error) {
	settings, diags := p.inventorySettings(name)
	if err := diags.Err(); err != nil {
		return host.Settings{}, err
	}
	out, err := connection(settings)
	out.Outputs = p.options.OutputDir
	return out, err
}

// inventorySettings returns how to reach a host. Before there is a plan, these are the hosts of
// the inventory.
func (p *planned) inventorySettings(name string) (inventory.Settings, diag.List) {
	if p.plan != nil {
		return p.plan.HostSettings(name, p.values)
	}
	i := slices.IndexFunc(p.hosts, func(h *inventory.Host) bool { return h.Name == name })
	if i >= 0 {
		return p.hosts[i].Settings, p.hosts[i].Problems
	}
	if h := p.inventory.Host(name); h != nil {
		return h.Settings, h.Problems
	}
	return inventory.Outside(name), nil
}

func connection(s inventory.Settings) (host.Settings, error) {
	settings := host.Settings{
		Name: s.Name, Address: s.Address, Port: s.Port, User: s.User,
		Local: s.Transport == "local", Via: s.Via, Become: host.Become{User: s.Become},
		IdentityFiles: s.IdentityFiles, KnownHosts: nonEmpty(s.KnownHosts), HostKeys: s.HostKeys,
		PrivateKeys: nonEmpty(s.PrivateKey), OS: module.OS(s.OS),
		WinRM: s.Transport == inventory.WinRM, Auth: s.Auth, Password: s.Password, Certificate: s.Certificate,
		ConnectTimeout: s.ConnectTimeout, Pace: s.Pace,
	}
	if settings.WinRM && s.OS == inventory.Linux {
		return host.Settings{}, fmt.Errorf("the host %s is said to run Linux, but WinRM reaches Windows only", s.Name)
	}
	if !s.FromSSHConfig {
		return settings, nil
	}
	alias, err := ssh.FromSSHConfig(s.Address)
	if err != nil {
		return host.Settings{}, err
	}
	return asConfigured(settings, alias), nil
}

// asConfigured uses the settings of ~/.ssh/config for an address where the inventory has
// none.
func asConfigured(s host.Settings, alias ssh.Alias) host.Settings {
	s.Address, s.Port, s.User = alias.Address, cmp.Or(s.Port, alias.Port), cmp.Or(s.User, alias.User)
	s.Via = cmp.Or(s.Via, alias.ProxyJump)
	s.IdentityFiles = append(s.IdentityFiles, alias.IdentityFiles...)
	if len(s.KnownHosts) == 0 {
		s.KnownHosts = alias.KnownHosts
	}
	return s
}

// nonEmpty returns a list of one value, or an empty list for an empty value.
func nonEmpty[T ~string](value T) []T {
	if value == "" {
		return nil
	}
	return []T{value}
}
