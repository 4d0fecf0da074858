// Package firewall is the module "firewall": a rule of the host's firewall that accepts
// packets.
package firewall

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/activefirewall"
)

// Task is a rule that accepts packets, in each firewall that is active on the host.
//
// Firewalls are firewalld, ufw, and chains of nftables with the policy "drop". Where none is
// active there is nothing to do. Rules of iptables without ufw or firewalld are not seen.
//
// A rule is what its arguments say: with other arguments it is another rule, and the former
// one stays until state = "absent" or clean-up removes it. It is there at once and after a
// boot.
//
// With firewalld an interface stands for its zone, which other interfaces may be in too, and
// forwarded packets have a policy. A new policy reloads firewalld: settings that only the
// running firewalld has are lost then, except sources of zones. A policy without
// rules is removed from the configuration, and from the running firewalld at its next reload.
// With ufw the rule comes after those that exist, so earlier ones that deny have priority.
// With nftables it is the first rule of each chain, and a unit inserts it again at boot and
// when nftables.service restarts.
//
// Rules that kinit adds are marked; cleanup and state = "absent" remove them, unless another
// cluster has added the same rule. Rules that were there before stay, but on a host that
// belongs to no cluster, state = "absent" removes them.
//
// Errors:
//   - no firewall is active, with required = true
//   - the arguments do not restrict the rule at all
//   - ports are given without the protocol tcp or udp
//   - firewalld has no such zone, or the rule would accept everything of a zone
//   - ufw has a rule that denies the same packets
type Task struct {
	// Direction is where accepted packets go: "in" to the host itself, "forward" through it.
	Direction string `hcl:"direction,optional" enum:"in,forward" default:"in"`
	// Protocol is the protocol of the packets.
	Protocol string `hcl:"protocol,optional" enum:"any,tcp,udp,gre,esp,ah" default:"any"`
	// Ports are destination ports, such as "6081" or "30000-32767"; a rule has 15 at most, and
	// a range counts as two. Default: all.
	Ports []string `hcl:"ports,optional"`
	// Source is the address or network that packets come from, such as "192.0.2.0/24".
	// Default: any.
	Source string `hcl:"source,optional"`
	// Destination is the address or network that they go to. Default: any.
	Destination string `hcl:"destination,optional"`
	// Interface is the interface that they come in by. Default: any; with firewalld, those
	// of the default zone.
	Interface string `hcl:"interface,optional"`
	// OutInterface is the interface that forwarded packets leave by. Default: any.
	OutInterface string `hcl:"out_interface,optional"`
	// Zone is the zone of firewalld that packets come in by. Default: that of interface. Other
	// firewalls have no zones.
	Zone string `hcl:"zone,optional"`
	// Required makes it an error if no firewall is active.
	Required bool `hcl:"required,optional"`
	module.Presence
}

// Mark is the kind of the mark of a rule that kinit added; the ID is the firewall and the rule.
const Mark = "firewall_rule"

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "firewall", Elsewhere: "win_firewall", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "rule of", Undo, module.MarkTraits{Shared: true}),
	}})
}

func (t *Task) Validate() error { return t.rule().check() }

// rule returns the arguments in their canonical form.
func (t *Task) rule() rule {
	return rule{
		Direction: t.Direction, Protocol: t.Protocol, Ports: canonicalPorts(t.Ports),
		Source: canonicalNetwork(t.Source), Destination: canonicalNetwork(t.Destination),
		Interface: t.Interface, Out: t.OutInterface, Zone: t.Zone,
	}
}

// brand is a program that filters packets.
type brand interface {
	// resolve returns the rule with what the brand adds to it, such as its zones.
	resolve(ctx context.Context, h module.Host, r rule) (rule, error)
	// parts returns what the rule consists of.
	parts(ctx context.Context, h module.Host, r rule) ([]string, error)
	// missing returns those parts that the host lacks. marked is set if the rule is the owner's.
	missing(ctx context.Context, h module.Host, r rule, parts []string, marked bool) ([]string, error)
	// add adds parts; those that exist are no error.
	add(ctx context.Context, h module.Host, r rule, parts []string) error
	// remove removes parts; missing ones are no error, and neither is a missing program.
	remove(ctx context.Context, h module.Host, r rule, parts []string) error
}

// brandOf returns a brand by its name; nil for an unknown one. The chains are those of nftables,
// which it does not need to remove rules.
func brandOf(name string, chains []activefirewall.Chain) brand {
	switch name {
	case activefirewall.Firewalld:
		return firewalld{}
	case activefirewall.UFW:
		return ufw{}
	case activefirewall.NFTables:
		return nftables{chains: chains}
	}
	return nil
}

// zoneless is embedded in the brands that have no zones.
type zoneless struct{}

func (zoneless) resolve(ctx context.Context, _ module.Host, r rule) (rule, error) {
	r.Zone = ""
	return r, ctx.Err()
}

// script runs a shell's text with arguments, the first of which is its name, and returns what it prints.
func script(ctx context.Context, h module.Host, what, text string, args ...string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"sh", "-c", text}, args...), Name: what})
	return out.Stdout, err
}

type Outputs struct {
	Firewalls []string `cty:"firewalls"` // active firewalls, of "firewalld", "ufw" and "nftables"
	Rule      string   `cty:"rule"`      // the rule in words, as in the mark of it
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	active, err := activefirewall.Of(ctx, h)
	return Outputs{Firewalls: active.Names(), Rule: t.rule().String()}, err
}
