package facts

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// network is the host's interfaces, in the kernel's order, and its default
// route.
type network struct {
	interfaces       []iface
	defaultInterface string
	defaultSource    string // the route's preferred source address, if it has one
}

// iface is one entry of "ip -json address".
type iface struct {
	Name      string    `json:"ifname"`
	MTU       int64     `json:"mtu"`
	MAC       string    `json:"address"`
	Addresses []address `json:"addr_info"`
}

type address struct {
	Local string `json:"local"`
	Scope string `json:"scope"`
}

// route is one entry of "ip -json route".
type route struct {
	Device string `json:"dev"`
	Source string `json:"prefsrc"`
	Metric int64  `json:"metric"`
}

func readNetwork(ctx context.Context, h module.Host) (network, error) {
	var n network
	var routes []route
	err := readJSON(ctx, h, &n.interfaces, "ip", "-json", "address", "show")
	if module.Exited(err, 127) {
		return readKernel(ctx, h)
	}
	if err != nil {
		return n, err
	}
	if err := readJSON(ctx, h, &routes, "ip", "-json", "-4", "route", "show", "default"); err != nil {
		return n, err
	}
	best := route{}
	for i, r := range routes {
		if i == 0 || r.Metric < best.Metric {
			best = r
		}
	}
	n.defaultInterface, n.defaultSource = best.Device, best.Source
	return n, nil
}

// readJSON runs a command that prints JSON. ip prints nothing for an empty list.
func readJSON(ctx context.Context, h module.Host, into any, argv ...string) error {
	out, err := h.Run(ctx, module.Command{Argv: argv})
	if err != nil || strings.TrimSpace(out.Stdout) == "" {
		return err
	}
	if err := bounds.DecodeJSON([]byte(out.Stdout), into); err != nil {
		return fmt.Errorf("read what %s prints: %w", strings.Join(argv, " "), err)
	}
	return nil
}

// having returns the interface with an address; an empty one for no address.
func (n network) having(address string) (iface, error) {
	if address == "" {
		return iface{}, nil
	}
	want, err := netip.ParseAddr(address)
	if err != nil {
		return iface{}, fmt.Errorf("address is %q, want an IP address", address)
	}
	var all []string
	for _, i := range n.interfaces {
		for _, a := range i.Addresses {
			if have, err := netip.ParseAddr(a.Local); err == nil && have == want {
				return i, nil
			}
			all = append(all, a.Local)
		}
	}
	return iface{}, fmt.Errorf("no interface has the address %s, the host has %s", address, strings.Join(all, ", "))
}

// defaultAddress returns the IPv4 source address of outgoing connections.
func (n network) defaultAddress() string {
	if n.defaultSource != "" {
		return n.defaultSource
	}
	for _, i := range n.interfaces {
		for _, a := range i.Addresses {
			if i.Name == n.defaultInterface && a.Scope == "global" && !strings.Contains(a.Local, ":") {
				return a.Local
			}
		}
	}
	return ""
}

// value is the output "interfaces".
func (n network) value() map[string]Interface {
	all := map[string]Interface{}
	for _, i := range n.interfaces {
		one := Interface{MTU: i.MTU, MAC: i.MAC}
		for _, a := range i.Addresses {
			one.Addresses = append(one.Addresses, a.Local)
		}
		all[i.Name] = one
	}
	return all
}
