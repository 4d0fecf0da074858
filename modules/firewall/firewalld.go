package firewall

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
)

//go:embed firewalld-zone.sh
var firewalldZone string

//go:embed firewalld-missing.sh
var firewalldMissing string

//go:embed firewalld-add.sh
var firewalldAdd string

//go:embed firewalld-remove.sh
var firewalldRemove string

// firewalld adds rich rules: to a zone for packets to the host, to a policy from zone to zone
// for forwarded ones. Each rich rule is a part.
type firewalld struct{}

// everyZone is the zone of policies that stands for all.
const everyZone = "ANY"

// resolve finds the zones of the interfaces, which then are part of the rule.
func (f firewalld) resolve(ctx context.Context, h module.Host, r rule) (rule, error) {
	var err error
	forward := r.Direction == "forward"
	if r.Zone == "" {
		if r.Zone, err = f.zoneOf(ctx, h, r.Interface, forward); err != nil {
			return r, err
		}
	}
	if forward {
		if r.OutZone, err = f.zoneOf(ctx, h, r.Out, true); err != nil {
			return r, err
		}
	}
	r.Interface, r.Out = "", ""
	if r.Protocol == "any" && r.Source == "" && r.Destination == "" {
		return r, fmt.Errorf("firewalld would accept everything that comes in by the zone %s, as it has zones in place of interfaces: give a protocol, source or destination", r.Zone)
	}
	return r, nil
}

// zoneOf returns the zone of an interface, which is the default zone for one that has none.
func (firewalld) zoneOf(ctx context.Context, h module.Host, device string, forward bool) (string, error) {
	if forward && device == "" {
		return everyZone, nil
	}
	out, err := script(ctx, h, "find the zone of firewalld", firewalldZone, "zone", device)
	if err != nil {
		return "", fmt.Errorf("find the zone of firewalld: %w", err)
	}
	return strings.TrimSpace(out), nil
}

// parts returns the rich rules; man 5 firewalld.richlanguage. Each port has its own.
func (firewalld) parts(ctx context.Context, _ module.Host, r rule) ([]string, error) {
	words := "rule"
	for _, word := range [][2]string{{"family", r.family()}, {"source address", r.Source}, {"destination address", r.Destination}} {
		if word[1] != "" {
			words += fmt.Sprintf(" %s=%q", word[0], word[1])
		}
	}
	rules := lists.Map(r.Ports, func(port string) string {
		return fmt.Sprintf("%s port port=%q protocol=%q accept", words, port, r.Protocol)
	})
	switch {
	case len(rules) > 0:
	case r.Protocol != "any":
		rules = []string{fmt.Sprintf("%s protocol value=%q accept", words, r.Protocol)}
	default:
		rules = []string{words + " accept"}
	}
	return rules, ctx.Err()
}

func (firewalld) missing(ctx context.Context, h module.Host, r rule, parts []string, _ bool) ([]string, error) {
	out, err := script(ctx, h, "ask firewalld for the rule", firewalldMissing, append([]string{"missing", r.object()}, parts...)...)
	if err != nil {
		return nil, fmt.Errorf("ask firewalld for the rule %q: %w", r, err)
	}
	var gone []string
	for line := range strings.Lines(out) {
		gone = append(gone, strings.TrimSpace(line))
	}
	return gone, nil
}

// object is the option that names the zone or the policy of the rule.
func (r rule) object() string {
	if r.Direction == "in" {
		return "--zone=" + r.Zone
	}
	return "--policy=" + r.policy()
}

// policy returns the name of the policy that rules between the same zones share; a name has
// 18 characters at most.
func (r rule) policy() string { return "kinit-" + digest(r.Zone+" "+r.OutZone) }

func (firewalld) add(ctx context.Context, h module.Host, r rule, parts []string) error {
	args := []string{"add", r.object(), "", ""}
	if r.Direction == "forward" {
		args[2], args[3] = r.Zone, r.OutZone
	}
	_, err := script(ctx, h, "add the rule to firewalld", firewalldAdd, append(args, parts...)...)
	return err
}

func (firewalld) remove(ctx context.Context, h module.Host, r rule, parts []string) error {
	_, err := script(ctx, h, "remove the rule from firewalld", firewalldRemove, append([]string{"remove", r.object()}, parts...)...)
	return err
}
