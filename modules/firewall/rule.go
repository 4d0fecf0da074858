package firewall

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule is a rule in its canonical form: the same packets make the same rule.
type rule struct {
	Direction   string   `json:"direction"`
	Protocol    string   `json:"protocol"`
	Ports       []string `json:"ports,omitempty"`
	Source      string   `json:"source,omitempty"`
	Destination string   `json:"destination,omitempty"`
	Interface   string   `json:"interface,omitempty"`
	Out         string   `json:"out,omitempty"`
	Zone        string   `json:"zone,omitempty"`     // firewalld's, in which packets come
	OutZone     string   `json:"out_zone,omitempty"` // firewalld's, by which forwarded ones leave
}

var (
	device = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$`)
	zone   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
)

// mostPorts is how many ports ufw takes in a rule, where a range counts as two.
const mostPorts = 15

func (r rule) check() error {
	if err := r.checkPorts(); err != nil {
		return err
	}
	for name, value := range map[string]string{"source": r.Source, "destination": r.Destination} {
		if value != "" && family(value) == "" {
			return fmt.Errorf("%s is %q, want an IP address or a network such as \"192.0.2.0/24\"", name, value)
		}
	}
	for name, value := range map[string]string{"interface": r.Interface, "out_interface": r.Out} {
		if value != "" && !device.MatchString(value) {
			return fmt.Errorf("%s is %q, want a network interface such as \"eth0\"", name, value)
		}
	}
	switch {
	case r.Zone != "" && !zone.MatchString(r.Zone):
		return fmt.Errorf("zone is %q, want a zone of firewalld such as \"public\"", r.Zone)
	case r.Source != "" && r.Destination != "" && family(r.Source) != family(r.Destination):
		return errors.New("one of source and destination is IPv4 and the other IPv6, want one family")
	case r.Out != "" && r.Direction != "forward":
		return errors.New("out_interface is for forwarded packets, want it with direction = \"forward\"")
	case r.Protocol == "any" && r.Source == "" && r.Destination == "" && r.Interface == "" && r.Out == "" && r.Zone == "":
		return errors.New("the rule would accept all packets, want a protocol, source, destination or interface")
	}
	return nil
}

func (r rule) checkPorts() error {
	count := 0
	for _, port := range r.Ports {
		first, last, ranged := strings.Cut(port, "-")
		low, high := portNumber(first), portNumber(last)
		if low == 0 || ranged && high <= low {
			return fmt.Errorf("ports has %q, want a port from 1 to 65535 or a range such as \"30000-32767\"", port)
		}
		count++
		if ranged {
			count++
		}
	}
	switch {
	case count > mostPorts:
		return fmt.Errorf("ports has %d, and a range counts as two, want %d at most", count, mostPorts)
	case len(r.Ports) > 0 && r.Protocol != "tcp" && r.Protocol != "udp":
		return fmt.Errorf("ports are given and the protocol is %q, want \"tcp\" or \"udp\"", r.Protocol)
	}
	return nil
}

// portNumber returns a port's number, 0 for a text that is none.
func portNumber(text string) int {
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(number, 10) != text {
		return 0
	}
	return int(number)
}

// canonicalPorts returns the ports by number, each once.
func canonicalPorts(ports []string) []string {
	sorted := slices.Clone(ports)
	slices.SortFunc(sorted, func(a, b string) int {
		first := func(text string) int { number, _, _ := strings.Cut(text, "-"); return portNumber(number) }
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a, b))
	})
	return slices.Compact(sorted)
}

// canonicalNetwork returns a network by its first address, and one with a single address as
// that. Another text remains, for the check.
func canonicalNetwork(text string) string {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		if prefix.IsSingleIP() {
			return prefix.Addr().String()
		}
		return prefix.Masked().String()
	}
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		return address.Unmap().String()
	}
	return text
}

// family returns "ipv4" or "ipv6" for an address or a network, or "".
func family(text string) string {
	address, _, _ := strings.Cut(text, "/")
	parsed, err := netip.ParseAddr(address)
	_, wrong := netip.ParsePrefix(text)
	switch {
	case err != nil || address != text && wrong != nil:
		return ""
	case parsed.Is4():
		return "ipv4"
	}
	return "ipv6"
}

// family returns that of the rule's addresses, or "" for a rule without one.
func (r rule) family() string { return cmp.Or(family(r.Source), family(r.Destination)) }

// String describes the rule. Different rules have different descriptions.
func (r rule) String() string {
	words := []string{map[string]string{"in": "accept", "forward": "forward"}[r.Direction], r.Protocol}
	if r.Protocol == "any" {
		words[1] = "packets"
	}
	add := func(word, value string) {
		if value != "" {
			words = append(words, word, value)
		}
	}
	add("port", strings.Join(r.Ports, ","))
	add("from", r.Source)
	add("to", r.Destination)
	add("in by", r.Interface)
	add("out by", r.Out)
	add("zone", r.Zone)
	add("to zone", r.OutZone)
	return strings.Join(words, " ")
}

// hash is a short name of the rule for objects that need one.
func (r rule) hash() string { return digest(r.String()) }

// digest returns ten characters that follow from a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:5])
}
