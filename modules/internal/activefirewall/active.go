// Package activefirewall finds the firewalls that are active on a host.
package activefirewall

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

//go:embed active.sh
var script string

// The names of firewalls.
const (
	Firewalld = "firewalld"
	UFW       = "ufw"
	NFTables  = "nftables"
)

// Chain is a chain of nftables that drops what none of its rules accepts.
type Chain struct{ Family, Table, Name, Hook string }

// Active are the active firewalls of a host.
type Active struct {
	programs []string // firewalld and ufw
	// Chains are those that an administrator wrote for nftables itself.
	Chains []Chain
}

// Names returns the names of the active firewalls.
func (a Active) Names() []string {
	names := append([]string{}, a.programs...)
	if len(a.Chains) > 0 {
		names = append(names, NFTables)
	}
	return names
}

// Command is the command that asks the host.
func Command() module.Command {
	return module.Command{Argv: []string{"sh", "-c", script}, Name: "find the active firewalls"}
}

// Of asks the host. A host where nft cannot be asked, such as without root, has no chains.
func Of(ctx context.Context, h module.Host) (Active, error) {
	out, err := h.Run(ctx, Command())
	if err != nil {
		return Active{}, fmt.Errorf("find the active firewalls: %w", err)
	}
	return parse(out.Stdout)
}

func parse(text string) (Active, error) {
	var a Active
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == Firewalld, line == UFW:
			a.programs = append(a.programs, line)
		case line != "":
			chains, err := closed(line)
			if err != nil {
				return a, err
			}
			a.Chains = append(a.Chains, chains...)
		}
	}
	return a, nil
}

// closed returns the chains with the policy "drop". Those of firewalld, of kinit and of
// iptables are left out: they are changed by other means, and iptables does not read a table
// that nft has changed.
func closed(text string) ([]Chain, error) {
	var list struct {
		Objects []struct {
			Chain *struct{ Family, Table, Name, Type, Hook, Policy string }
		} `json:"nftables"`
	}
	if err := bounds.DecodeJSON([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("read the list of nft chains: %w", err)
	}
	var found []Chain
	for _, object := range list.Objects {
		c := object.Chain
		if c == nil || c.Type != "filter" || c.Policy != "drop" || c.Hook != "input" && c.Hook != "forward" {
			continue
		}
		ip := c.Family == "ip" || c.Family == "ip6"
		switch {
		case !ip && c.Family != "inet":
		case c.Table == Firewalld, strings.HasPrefix(c.Table, "kinit_"):
		case ip && c.Table == "filter" && c.Name == strings.ToUpper(c.Hook):
		default:
			found = append(found, Chain{c.Family, c.Table, c.Name, c.Hook})
		}
	}
	return found, nil
}
