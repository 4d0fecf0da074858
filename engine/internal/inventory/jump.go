package inventory

import (
	"cmp"
	"errors"
	"strings"

	"kinit/engine/graph"
	"kinit/engine/internal/inventory/ansible"
	"kinit/engine/internal/sshconfig"
)

// arguments reads the arguments that Ansible would give to ssh. Jumps become hosts; options count more than
// ~/.ssh/config; for what has no meaning for kinit there is a warning.
func (c connection) arguments() {
	for _, variable := range []string{"ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args"} {
		text, name := c.text(variable)
		args, err := ansible.ReadSSHArguments(text)
		if err != nil {
			c.problem(c.Origins[name].At, "Invalid setting", "%s cannot be parted into words: %v", name, err)
			continue
		}
		if args.Jump == "none" {
			args.Options = append(args.Options, "ProxyJump=none")
		} else if args.Jump != "" {
			if _, err := sshconfig.ParseJumps(args.Jump); err != nil {
				c.problem(c.Origins[name].At, "Invalid setting", "%s: %v.", name, err)
				continue
			}
			c.Via = c.loader.via(c.Host, args.Jump)
		}
		c.SSHConfig = cmp.Or(args.File, c.SSHConfig)
		c.SSHOptions = append(c.SSHOptions, args.Options...)
		if len(args.Unknown) > 0 {
			c.warn(name, "SSH argument not used", "kinit does not run ssh and always verifies host keys; it does not use %s.", strings.Join(args.Unknown, ", "))
		}
	}
}

// via is the name of the machine that a host is reached through, by a list of jumps
// such as user@host:port,other. A host is not reached through itself.
func (l *loader) via(h *Host, list string) string {
	first, _, _ := strings.Cut(list, ",")
	if _, name, _ := splitJump(first); name == h.Name || name == h.Address {
		return ""
	}
	if list != "" {
		l.jumps = append(l.jumps, list)
	}
	return list
}

// addJumps makes hosts of jumps that are more than the name of a host: their
// settings are those of the host of that name, with another user, port or way.
func (l *loader) addJumps() {
	for _, list := range l.jumps {
		via := ""
		for hop := range strings.SplitSeq(list, ",") {
			name := strings.TrimPrefix(via+","+hop, ",")
			if l.inv.Host(name) == nil {
				l.inv.hosts[name] = l.jump(name, hop, via)
			}
			via = name
		}
	}
}

func (l *loader) jump(name, hop, via string) *Host {
	user, host, port := splitJump(hop)
	settings := Outside(host)
	if known := l.inv.Host(host); known != nil {
		settings = known.Settings
	}
	settings.Name = name
	settings.User, settings.Port, settings.Via = cmp.Or(user, settings.User), cmp.Or(port, settings.Port), cmp.Or(via, settings.Via)
	return &Host{Settings: settings}
}

// splitJump parts [user@]host[:port], or ssh:// before it.
func splitJump(hop string) (user, host string, port int) {
	jumps, err := sshconfig.ParseJumps(hop)
	if err != nil || len(jumps) != 1 {
		return "", hop, 0
	}
	return jumps[0].User, jumps[0].Host, jumps[0].Port
}

// checkVia reports hosts that are reached through themselves.
func (l *loader) checkVia() {
	ways := &graph.Graph[string]{}
	for _, h := range l.inv.Hosts {
		if h.Via != "" {
			ways.Connect(h.Name, h.Via)
		}
	}
	cycles, ok := errors.AsType[*graph.CycleError[string]](ways.Validate())
	if !ok {
		return
	}
	for _, cycle := range cycles.Cycles {
		l.Errorf(l.inv.Host(cycle[0]).Range, "Hosts in a cycle", "Each of these hosts is reached via the next one: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
}
