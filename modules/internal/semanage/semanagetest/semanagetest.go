// Package semanagetest stands in for the program semanage on a fake host. Its lines and its errors are
// those of semanage 3.4 with Debian's policy.
package semanagetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// Policy is what a host's policy and its local settings have. Ports are "tcp 22", booleans "on" or "off".
type Policy struct {
	Types    []string            // of ports, without those in Ports
	Ports    map[string][]string // of the policy, by type
	Local    map[string]string   // the types that the host gives to ports
	Booleans map[string]string
}

// Host returns a host with the program.
func Host(t testing.TB, owner string, p *Policy) *moduletest.FakeHost {
	t.Helper()
	h := moduletest.NewFakeHost(t, owner)
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		if len(call.Argv) < 3 || call.Argv[0] != "semanage" || call.Env["LC_ALL"] != "C" {
			return moduletest.Reply{}, false
		}
		return p.run(call.Argv[1], call.Argv[2:]), true
	})
	return h
}

func (p *Policy) run(kind string, args []string) moduletest.Reply {
	switch line := kind + " " + strings.Join(args, " "); {
	case line == "boolean --list --noheading":
		return moduletest.Reply{Stdout: p.booleans()}
	case line == "port --list --noheading":
		return moduletest.Reply{Stdout: p.ports(true)}
	case line == "port --list --noheading --locallist":
		return moduletest.Reply{Stdout: p.ports(false)}
	case strings.HasPrefix(line, "boolean --modify --on ") || strings.HasPrefix(line, "boolean --modify --off "):
		if p.Booleans[args[2]] == "" {
			return wrong("Boolean %s is not defined", args[2])
		}
		p.Booleans[args[2]] = strings.TrimPrefix(args[1], "--")
	case strings.HasPrefix(line, "port --add --type ") || strings.HasPrefix(line, "port --modify --type "):
		return p.give(args[0], args[2], args[4]+" "+args[5])
	case strings.HasPrefix(line, "port --delete --proto "):
		return p.take(args[2] + " " + args[3])
	default:
		return moduletest.Reply{Code: 2, Stderr: "usage: semanage"}
	}
	return moduletest.Reply{Changes: true}
}

func (p *Policy) give(verb, name, port string) moduletest.Reply {
	known := p.Local[port] != ""
	for _, ports := range p.Ports {
		known = known || slices.Contains(ports, port)
	}
	written := strings.Replace(port, " ", "/", 1)
	switch {
	case p.Ports[name] == nil && !slices.Contains(p.Types, name):
		return wrong("Type %s is invalid, must be a port type", name)
	case verb == "--add" && known:
		return wrong("Port %s already defined", written)
	case verb == "--modify" && !known:
		return wrong("Port %s is not defined", written)
	}
	p.Local[port] = name
	return moduletest.Reply{Changes: true}
}

func (p *Policy) take(port string) moduletest.Reply {
	if p.Local[port] == "" {
		return wrong("Port %s is defined in policy, cannot be deleted", strings.Replace(port, " ", "/", 1))
	}
	delete(p.Local, port)
	return moduletest.Reply{Changes: true}
}

func wrong(format string, args ...any) moduletest.Reply {
	return moduletest.Reply{Code: 1, Stderr: "ValueError: " + fmt.Sprintf(format, args...)}
}

func (p *Policy) booleans() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Booleans)) {
		value := p.Booleans[name]
		fmt.Fprintf(&b, "%-30s (%-5s,%5s)  Allow %s\n", name, value, value, strings.ReplaceAll(name, "_", " "))
	}
	return b.String()
}

// ports are a line for each type and protocol: the host's ports come first.
func (p *Policy) ports(policy bool) string {
	all := map[string][]string{}
	add := func(name, port string) {
		protocol, number, _ := strings.Cut(port, " ")
		key := fmt.Sprintf("%-30s %-8s", name, protocol)
		if !slices.Contains(all[key], number) {
			all[key] = append(all[key], number)
		}
	}
	for _, port := range slices.Sorted(maps.Keys(p.Local)) {
		add(p.Local[port], port)
	}
	for name, ports := range p.Ports {
		for _, port := range ports {
			if policy {
				add(name, port)
			}
		}
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %s\n", key, strings.Join(all[key], ", "))
	}
	return b.String() + "\n"
}
