package sshconfig

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// criterion is one condition of a Match line. Those without a value are all, canonical and final.
type criterion struct {
	name    string
	negated bool
	value   string
}

// criteria parts a Match line. A value follows its name behind a space or "=".
func criteria(rest string) ([]criterion, error) {
	var all []criterion
	for {
		rest = strings.TrimLeft(rest, blanks)
		if rest == "" || rest[0] == '#' {
			return all, nil
		}
		end := strings.IndexAny(rest, blanks+"=")
		if end < 0 {
			end = len(rest)
		}
		var c criterion
		c.name, c.negated = strings.CutPrefix(lower(rest[:end]), "!")
		rest = rest[end:]
		if c.name != "all" && c.name != "canonical" && c.name != "final" {
			value, after, err := nextWord(strings.TrimPrefix(strings.TrimLeft(rest, blanks), "="))
			if err != nil {
				return nil, err
			}
			if value == "" {
				return nil, fmt.Errorf("the criterion %q has no value", c.name)
			}
			c.value, rest = value, after
		}
		all = append(all, c)
	}
}

// match decides whether the criteria of a Match line hold.
func (p *parser) match(rest string) (bool, error) {
	all, err := criteria(rest)
	if err != nil {
		return false, err
	}
	if len(all) == 0 {
		return false, errors.New("a Match line has no criterion")
	}
	holds := true
	for i, c := range all {
		one := true
		switch c.name {
		case "all":
			if i+1 < len(all) || slices.ContainsFunc(all[:i], func(c criterion) bool { return c.value != "" }) {
				return false, errors.New("only canonical and final can be before \"all\" on a Match line, and nothing can be behind it")
			}
		case "final":
			p.again = true
			one = p.final
		case "canonical": // only the program ssh makes names canonical
			one = false
		default:
			if one, err = p.holds(c); err != nil {
				return false, err
			}
		}
		holds = holds && one != c.negated
	}
	return holds, nil
}

// holds decides one criterion.
func (p *parser) holds(c criterion) (bool, error) {
	value := c.value
	switch c.name {
	case "host":
		return listed(lower(p.hostName()), lower(value)), nil
	case "originalhost":
		return listed(lower(p.original), lower(value)), nil
	case "user":
		user := p.options.first("user")
		if user == "" {
			user = p.user.name
		}
		return listed(user, value), nil
	case "localuser":
		return listed(p.user.name, value), nil
	case "tagged":
		return listed(p.options.first("tag"), value), nil
	case "localnetwork":
		return localNetwork(value)
	case "sessiontype":
		return listed("exec", value), nil
	case "exec", "command", "version":
		return false, needsClient("the criterion " + c.name + " of Match")
	}
	return false, fmt.Errorf("%q is no criterion of Match", c.name)
}

// hostName is the name that is dialled as far as it is known: the host's own, or that of HostName.
func (p *parser) hostName() string {
	name := p.options.first("hostname")
	if name == "" {
		return p.host
	}
	return strings.NewReplacer("%%", "%", "%h", p.host).Replace(name)
}

// localNetwork reports whether this machine has an address in one of the networks.
func localNetwork(value string) (bool, error) {
	var networks []netip.Prefix
	for network := range strings.SplitSeq(value, ",") {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			return false, fmt.Errorf("%q is no network such as 192.0.2.0/24", network)
		}
		networks = append(networks, prefix)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false, err
	}
	for _, address := range addresses {
		own, err := netip.ParsePrefix(address.String())
		if err != nil {
			continue
		}
		for _, network := range networks {
			if network.Contains(own.Addr().Unmap()) {
				return true, nil
			}
		}
	}
	return false, nil
}
