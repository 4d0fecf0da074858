// Package connection says how hosts are reached: as the inventory or the playbook says, as ~/.ssh/config says where
// these say nothing, and with the passwords of the run.
package connection

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/sshconfig"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport/ssh"
)

// Options is what the run has for all its connections.
type Options struct {
	Home    string   // the user's home folder, for ~/.ssh
	Environ []string // KEY=value pairs
	Forks   int      // how many hosts are looked up at the same time
	// Login and Become are the passwords for hosts that the inventory has none for. Hosts that playbooks declare do not get
	// them.
	Login, Become secret.Value
	OutputDir     string                                                           // where long outputs of commands are kept whole; empty keeps none
	Ask           func(ctx context.Context, question string) (secret.Value, error) // asks the user; nil if nothing can be asked
}

// Resolver completes what an inventory or a playbook says of a host.
type Resolver struct {
	options   Options
	sshConfig *sshconfig.Resolver
	prompter  *ssh.Prompter
}

// NewResolver returns a resolver for the connections of one run.
func NewResolver(o Options) *Resolver {
	return &Resolver{options: o, sshConfig: sshconfig.NewResolver(o.Home, o.Environ, o.Forks), prompter: ssh.NewPrompter(o.Ask)}
}

// Settings returns how a host is reached: by its settings, by what ~/.ssh/config says of its address, and with the
// passwords of the run.
func (r *Resolver) Settings(ctx context.Context, settings inventory.Settings) (host.Settings, error) {
	if !settings.Declared {
		settings.Password = cmp.Or(settings.Password, r.options.Login)
		settings.BecomePassword = cmp.Or(settings.BecomePassword, r.options.Become)
	}
	out, err := connection(settings)
	if err != nil {
		return out, err
	}
	if settings.FromSSHConfig {
		given := sshconfig.Given{User: settings.User, Port: settings.Port, File: settings.SSHConfig, Options: settings.SSHOptions}
		configured, err := r.sshConfig.Settings(ctx, settings.Address, given)
		if err != nil {
			return host.Settings{}, err
		}
		out = asConfigured(out, configured)
	}
	out.Outputs, out.SSH.Prompter = r.options.OutputDir, r.prompter
	return out, nil
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
			PublicKeys: c.PubkeyAcceptedAlgorithms, Authorities: c.CAAlgorithms,
		},
		RevokedHostKeys: c.RevokedHostKeys, RSASize: c.RSASize,
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
