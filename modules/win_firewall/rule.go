package winfirewall

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/winpath"
)

// open is the firewall's word for "not restricted".
const open = "Any"

// protocols are the firewall's names of protocols.
var protocols = map[string]string{"tcp": "TCP", "udp": "UDP", "icmpv4": "ICMPv4", "icmpv6": "ICMPv6", "any": open}

// rule is a rule in the form of the firewall's cmdlets.
type rule struct {
	There           bool
	DisplayName     string
	Description     string
	Enabled         bool
	Direction       string // Inbound or Outbound
	Action          string // Allow or Block
	Profiles        string // Any, or names with commas between
	Protocol        string
	LocalPorts      []string
	RemotePorts     []string
	RemoteAddresses []string
	Program         string
}

func (t *Task) rule() rule {
	var profiles []string
	for _, name := range []string{"domain", "private", "public"} {
		if slices.Contains(t.Profiles, name) {
			profiles = append(profiles, title(name))
		}
	}
	if len(profiles) == 0 || len(profiles) == 3 {
		profiles = []string{open}
	}
	return rule{
		There:       true,
		DisplayName: cmp.Or(t.DisplayName, t.Name), Description: t.Description, Enabled: t.Enabled,
		Direction: title(t.Direction), Action: title(t.Action), Profiles: strings.Join(profiles, ", "),
		Protocol:   cmp.Or(protocols[t.Protocol], t.Protocol),
		LocalPorts: orOpen(t.LocalPorts), RemotePorts: orOpen(t.RemotePorts), RemoteAddresses: orOpen(t.RemoteAddresses),
		Program: cmp.Or(winpath.Native(t.Program), open),
	}
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func orOpen(list []string) []string {
	if len(list) == 0 {
		return []string{open}
	}
	return list
}

// arguments returns the arguments of the script that makes or changes the rule. It includes
// ports only if the protocol has them.
func (r rule) arguments(name string) map[string]any {
	args := map[string]any{
		"name": name, "displayName": r.DisplayName, "description": r.Description,
		"direction": r.Direction, "action": r.Action, "protocol": r.Protocol, "program": r.Program,
		"enabled": title(fmt.Sprint(r.Enabled)), "profiles": strings.Split(r.Profiles, ", "), "remoteAddresses": r.RemoteAddresses,
	}
	if r.ported() {
		args["localPorts"], args["remotePorts"] = r.LocalPorts, r.RemotePorts
	}
	return args
}

func (r rule) ported() bool { return r.Protocol == "TCP" || r.Protocol == "UDP" }

func (r rule) words() string {
	text := strings.ToLower(r.Direction) + " " + r.Protocol
	if r.ported() && r.LocalPorts[0] != open {
		text += " " + strings.Join(r.LocalPorts, ",")
	}
	return text + " " + strings.ToLower(r.Action)
}

func (r rule) diff(want rule) []string {
	var out []string
	differ := func(what, have, want string) {
		if !strings.EqualFold(have, want) {
			out = append(out, fmt.Sprintf("%s %s to %s", what, cmp.Or(have, "none"), cmp.Or(want, "none")))
		}
	}
	differ("display name", r.DisplayName, want.DisplayName)
	differ("description", r.Description, want.Description)
	differ("enabled", fmt.Sprint(r.Enabled), fmt.Sprint(want.Enabled))
	differ("direction", r.Direction, want.Direction)
	differ("action", r.Action, want.Action)
	differ("profiles", r.Profiles, want.Profiles)
	differ("protocol", r.Protocol, want.Protocol)
	differ("program", r.Program, want.Program)
	differ("remote addresses", addressSet(r.RemoteAddresses), addressSet(want.RemoteAddresses))
	if want.ported() {
		differ("local ports", set(r.LocalPorts), set(want.LocalPorts))
		differ("remote ports", set(r.RemotePorts), set(want.RemotePorts))
	}
	return out
}

// set returns a list as a text that is independent of its order.
func set(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), ",") }

// addressSet is set for addresses in any form: the firewall writes a subnet's mask in
// full and omits that of a single address.
func addressSet(list []string) string {
	return set(lists.Map(list, canonical))
}

func canonical(address string) string {
	base, mask, masked := strings.Cut(address, "/")
	if four := net.ParseIP(mask).To4(); masked && four != nil {
		ones, _ := net.IPMask(four).Size()
		address = fmt.Sprintf("%s/%d", base, ones)
	}
	if prefix, err := netip.ParsePrefix(address); err == nil {
		if prefix.IsSingleIP() {
			return prefix.Addr().String()
		}
		return prefix.Masked().String()
	}
	return address
}
