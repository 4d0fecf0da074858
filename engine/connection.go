package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/sshconfig"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/transport/ssh"
)

// settingsSource returns how hosts are reached: its plan knows. A plan that is made again takes the connections over, and
// becomes the plan of their source.
type settingsSource struct {
	plan      *planned
	sshConfig *sshconfig.Resolver
	prompter  *ssh.Prompter
}

// connects prepares the connections. Each is made when a task needs it: how to reach a guest
// is known only after the tasks that create its keys.
func (p *planned) connects() {
	source := &settingsSource{plan: p, sshConfig: sshconfig.NewResolver(p.options.Home, p.options.Environ, p.options.Forks), prompter: ssh.NewPrompter(p.options.Ask)}
	p.source = source
	p.connections = host.NewConnections(func(ctx context.Context, name string) (host.Settings, error) {
		return source.plan.settings(ctx, name)
	}, p.options.Redactor)
	if p.mode == modeStatus {
		p.connections.Once(p.options.Within)
	}
}

func (p *planned) settings(ctx context.Context, name string) (host.Settings, error) {
	settings, diags := p.inventorySettings(name)
	if err := diags.Err(); err != nil {
		return host.Settings{}, err
	}
	if !settings.Declared {
		settings.Password = cmp.Or(settings.Password, p.options.Passwords.Login)
		settings.BecomePassword = cmp.Or(settings.BecomePassword, p.options.Passwords.Become)
	}
	out, err := p.source.reached(ctx, settings)
	out.Outputs, out.SSH.Prompter = p.options.OutputDir, p.source.prompter
	return out, err
}

// reached completes settings by what ~/.ssh/config says of their address.
func (s *settingsSource) reached(ctx context.Context, settings inventory.Settings) (host.Settings, error) {
	out, err := connection(settings)
	if err != nil || !settings.FromSSHConfig {
		return out, err
	}
	given := sshconfig.Given{User: settings.User, Port: settings.Port, File: settings.SSHConfig, Options: settings.SSHOptions}
	configured, err := s.sshConfig.Settings(ctx, settings.Address, given)
	if err != nil {
		return host.Settings{}, err
	}
	return asConfigured(out, configured), nil
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
		Local: s.Transport == "local", Via: s.Via, Become: host.Become{User: s.Become, Method: s.BecomeMethod}, BecomePassword: s.BecomePassword,
		IdentityFiles: s.IdentityFiles, KnownHosts: nonEmpty(s.KnownHosts), HostKeys: s.HostKeys,
		PrivateKeys: nonEmpty(s.PrivateKey), OS: module.OS(s.OS),
		WinRM: s.Transport == inventory.WinRM, Auth: s.Auth, Password: s.Password, Certificate: s.Certificate,
		ConnectTimeout: s.ConnectTimeout, Pace: s.Pace,
	}
	if settings.WinRM && s.OS == inventory.Linux {
		return host.Settings{}, fmt.Errorf("the host %s is said to run Linux, but WinRM reaches Windows only", s.Name)
	}
	settings.SSH.FilesFirst = !s.FromSSHConfig
	return settings, nil
}

// asConfigured uses the settings of ~/.ssh/config where the inventory has none.
func asConfigured(s host.Settings, c sshconfig.Settings) host.Settings {
	named := s.Address
	s.Address, s.Port, s.User = c.HostName, cmp.Or(s.Port, c.Port), cmp.Or(s.User, c.User)
	s.IdentityFiles = append(s.IdentityFiles, c.IdentityFiles...)
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, c.ConnectTimeout)
	s.KeepAlive = cmp.Or(s.KeepAlive, c.AliveInterval)
	if len(s.KnownHosts) == 0 && (c.UserKnownHosts != nil || c.GlobalKnownHosts != nil) {
		s.KnownHosts = ssh.KnownHostsFiles(c.UserKnownHosts, c.GlobalKnownHosts)
	}
	s.SSH = ssh.Config{
		HostKeyAlias: c.HostKeyAlias, CertificateFiles: c.CertificateFiles, IdentitiesOnly: c.IdentitiesOnly,
		AgentSocket: c.IdentityAgent, KeepAliveMisses: c.AliveCount,
		Algorithms: ssh.Algorithms{
			HostKeys: c.HostKeyAlgorithms, KeyExchanges: c.KexAlgorithms, Ciphers: c.Ciphers, MACs: c.MACs,
			PublicKeys: c.PubkeyAcceptedAlgorithms,
		},
	}
	if c.KnownHostsCommand != nil {
		s.SSH.KnownHostsCommand = ssh.KnownHostsCommand(c.KnownHostsCommand, cmp.Or(c.HostKeyAlias, c.HostName))
	}
	switch {
	case s.Via != "":
	case len(c.Jumps) > 0 && !isSelf(c.Jumps[0], named, s):
		s.Via = strings.Join(lists.Map(c.Jumps, sshconfig.Jump.String), ",")
	case c.ProxyCommand != "":
		s.SSH.Dial = ssh.ProxyCommand(c.ProxyCommand)
	case c.AddressFamily != "" || c.BindAddress != "" || c.BindInterface != "":
		s.SSH.Dial = ssh.DialFrom(c.AddressFamily, c.BindAddress, c.BindInterface)
	}
	return s
}

// isSelf reports whether a jump leads to the host itself, as "ProxyJump gate" below "Host *" does for gate.
func isSelf(jump sshconfig.Jump, named string, s host.Settings) bool {
	return jump.Host == named || jump.Host == s.Address && cmp.Or(jump.Port, sshconfig.DefaultPort) == cmp.Or(s.Port, sshconfig.DefaultPort)
}

// nonEmpty returns a list of one value, or an empty list for an empty value.
func nonEmpty[T ~string](value T) []T {
	if value == "" {
		return nil
	}
	return []T{value}
}
