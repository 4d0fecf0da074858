package firewall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// ufw adds rules by "ufw allow" and "ufw route allow", with a comment. A rule has a part for
// each family, IPv4 first.
type ufw struct{ zoneless }

// ufwFiles are the files in which ufw keeps rules, by family.
var ufwFiles = map[string]string{"ipv4": "/etc/ufw/user.rules", "ipv6": "/etc/ufw/user6.rules"}

func (ufw) parts(ctx context.Context, h module.Host, r rule) ([]string, error) {
	if one := r.family(); one != "" {
		return []string{one}, nil
	}
	text, _, err := hostfile.Read(ctx, h, "/etc/default/ufw")
	if err != nil || !strings.Contains("\n"+text, "\nIPV6=yes") {
		return []string{"ipv4"}, err
	}
	return []string{"ipv4", "ipv6"}, nil
}

// missing counts a rule of somebody else as whole if it has its first part: adding the second
// would give the first one kinit's comment.
func (ufw) missing(ctx context.Context, h module.Host, r rule, parts []string, marked bool) ([]string, error) {
	var gone []string
	for i, part := range parts {
		text, _, err := hostfile.Read(ctx, h, ufwFiles[part])
		if err != nil {
			return nil, err
		}
		action := ufwAction(text, r.tuple(part))
		switch {
		case action == "allow" && i == 0 && !marked:
			return nil, nil
		case action == "allow":
		case action != "":
			return nil, fmt.Errorf("ufw has a rule with the action %s for the same packets as %q: remove it by \"ufw %s\" if they should be accepted",
				action, r, strings.Join(r.ufwWords(true, action), " "))
		default:
			gone = append(gone, part)
		}
	}
	return gone, nil
}

// ufwAction returns the action of the rule with a tuple, or "". ufw keeps each rule's
// arguments in a comment: ### tuple ### route:allow tcp 80 10.0.0.1 any 0.0.0.0/0 in_br0!out_eth0 comment=…
func ufwAction(text string, want []string) string {
	for line := range strings.Lines(text) {
		after, found := strings.CutPrefix(line, "### tuple ### ")
		if !found {
			continue
		}
		words := strings.Fields(after)
		if len(words) > 0 && strings.HasPrefix(words[len(words)-1], "comment=") {
			words = words[:len(words)-1]
		}
		if len(words) != 7 {
			continue // a rule of an application
		}
		route, action, routed := strings.Cut(words[0], ":")
		if !routed {
			route, action = "", words[0]
		}
		if slices.Equal(append([]string{route}, words[1:]...), want) {
			return action
		}
	}
	return ""
}

// tuple returns ufw's words for the rule: whether it is routed, protocol, destination port and
// address, source port and address, interfaces.
func (r rule) tuple(family string) []string {
	anywhere := map[string]string{"ipv4": "0.0.0.0/0", "ipv6": "::/0"}[family]
	route, interfaces := "", "in"
	if r.Direction == "forward" {
		route = "route"
	}
	switch {
	case r.Interface != "" && r.Out != "":
		interfaces = "in_" + r.Interface + "!out_" + r.Out
	case r.Interface != "":
		interfaces = "in_" + r.Interface
	case r.Out != "":
		interfaces = "out_" + r.Out
	}
	return []string{
		route, r.Protocol, cmp.Or(r.ufwPorts(), "any"), cmp.Or(r.Destination, anywhere),
		"any", cmp.Or(r.Source, anywhere), interfaces,
	}
}

func (r rule) ufwPorts() string {
	return strings.ReplaceAll(strings.Join(r.Ports, ","), "-", ":")
}

// ufwWords returns the arguments that add or delete the rule.
func (r rule) ufwWords(remove bool, action string) []string {
	var words []string
	if r.Direction == "forward" {
		words = append(words, "route")
	}
	if remove {
		words = append(words, "delete")
	}
	words = append(words, action)
	if r.Interface != "" || r.Direction == "in" {
		words = append(words, "in")
	}
	if r.Interface != "" {
		words = append(words, "on", r.Interface)
	}
	if r.Out != "" {
		words = append(words, "out", "on", r.Out)
	}
	if r.Protocol != "any" {
		words = append(words, "proto", r.Protocol)
	}
	words = append(words, "from", cmp.Or(r.Source, "any"), "to", cmp.Or(r.Destination, "any"))
	if len(r.Ports) > 0 {
		words = append(words, "port", r.ufwPorts())
	}
	return words
}

// ufwComment is the comment of rules. It names no cluster, because the next one has the same rule.
const ufwComment = "made by kinit"

func (ufw) add(ctx context.Context, h module.Host, r rule, _ []string) error {
	return runUFW(ctx, h, append(r.ufwWords(false, "allow"), "comment", ufwComment))
}

func (ufw) remove(ctx context.Context, h module.Host, r rule, _ []string) error {
	err := runUFW(ctx, h, append([]string{"--force"}, r.ufwWords(true, "allow")...))
	if module.Exited(err, 127) {
		return nil
	}
	return err
}

func runUFW(ctx context.Context, h module.Host, words []string) error {
	_, err := h.Run(ctx, module.Command{Argv: append([]string{"ufw"}, words...), Env: map[string]string{"LC_ALL": "C"}})
	return err
}
