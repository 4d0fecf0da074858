package podman

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/nft"
	"kinit/modules/internal/ownership"
)

// FirewallMark is the kind of the mark of podman's chains in the packet filter,
// which podman makes with the first network of a host and never removes. The
// mark's Prior lists the tables that already existed, as JSON.
const FirewallMark = "podman_firewall"

// firewallID is the ID of that mark: there is one.
const firewallID = "netavark"

// netavark is the prefix of podman's chains.
const netavark = "NETAVARK"

// object is one line of nft's JSON listing, reduced to the fields in use.
type object struct {
	Table *struct{ Family, Name string }
	Chain *struct{ Family, Table, Name string }
	Rule  *struct {
		Family, Table, Chain string
		Handle               int
		Expr                 []expression
	}
}

type expression struct{ Jump *struct{ Target string } }

func ruleset(ctx context.Context, h module.Host) ([]object, error) {
	text, err := nft.Run(ctx, h, "", "--json", "list", "ruleset")
	if err != nil {
		return nil, err
	}
	var list struct{ Nftables []object }
	return list.Nftables, decode(text, &list)
}

// OwnFirewall marks podman's chains before podman makes them. Existing chains
// get no mark.
func (c Client) OwnFirewall(ctx context.Context) error {
	if c.Host.Owner() == "" {
		return nil
	}
	objects, err := ruleset(ctx, c.Host)
	if NotInstalled(err) {
		return nil
	}
	if err != nil {
		return err
	}
	tables := []string{}
	for _, o := range objects {
		if o.Chain != nil && strings.HasPrefix(o.Chain.Name, netavark) {
			return nil
		}
		if o.Table != nil {
			tables = append(tables, o.Table.Family+" "+o.Table.Name)
		}
	}
	return ownership.Keep(ctx, c.Host, FirewallMark, firewallID, tables)
}

// RemoveFirewall removes podman's chains, which no container uses any more,
// and the tables that came with them if they are otherwise empty.
func (c Client) RemoveFirewall(ctx context.Context, mark module.Mark) error {
	var before []string
	if err := json.Unmarshal([]byte(mark.Prior), &before); err != nil {
		return fmt.Errorf("the mark of podman's chains does not say what was before: %w", err)
	}
	objects, err := ruleset(ctx, c.Host)
	if err != nil && !NotInstalled(err) {
		return err
	}
	if commands := removal(objects, before); commands != "" {
		if _, err := nft.Run(ctx, c.Host, commands, "-f", "-"); err != nil {
			return fmt.Errorf("remove podman's chains: %w", err)
		}
	}
	return c.Host.Disown(ctx, mark)
}

// removal is the transaction for nft: the rules that lead to the chains, their
// content, the chains, and then the tables.
func removal(objects []object, before []string) string {
	var rules, flushes, chains, tables strings.Builder
	touched, busy := []string{}, map[string]bool{}
	for _, o := range objects {
		switch {
		case o.Chain != nil && strings.HasPrefix(o.Chain.Name, netavark):
			where := o.Chain.Family + " " + o.Chain.Table
			fmt.Fprintf(&flushes, "flush chain %s %s\n", where, o.Chain.Name)
			fmt.Fprintf(&chains, "delete chain %s %s\n", where, o.Chain.Name)
			if !slices.Contains(touched, where) {
				touched = append(touched, where)
			}
		case o.Rule != nil && !strings.HasPrefix(o.Rule.Chain, netavark):
			where := o.Rule.Family + " " + o.Rule.Table
			if !leadsToPodman(o) {
				busy[where] = true
				continue
			}
			fmt.Fprintf(&rules, "delete rule %s %s handle %d\n", where, o.Rule.Chain, o.Rule.Handle)
		}
	}
	for _, table := range touched {
		if !busy[table] && !slices.Contains(before, table) {
			fmt.Fprintf(&tables, "delete table %s\n", table)
		}
	}
	return rules.String() + flushes.String() + chains.String() + tables.String()
}

func leadsToPodman(o object) bool {
	return slices.ContainsFunc(o.Rule.Expr, func(e expression) bool {
		return e.Jump != nil && strings.HasPrefix(e.Jump.Target, netavark)
	})
}
