package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
)

// persistentRoutes is where Windows keeps routes over restarts: values without content,
// named by network, mask, gateway and metric.
const persistentRoutes = `HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters\PersistentRoutes`

// route is route.exe: [-p] add or delete NETWORK mask MASK GATEWAY, and print -4.
func route(_ context.Context, p *machine.Process) uint32 {
	args := slices.Clone(p.Args)
	persistent := len(args) > 0 && strings.EqualFold(args[0], "-p")
	if persistent {
		args = args[1:]
	}
	switch {
	case len(args) == 2 && !persistent && strings.EqualFold(args[0], "print") && args[1] == "-4":
		printRoutes(p)
		return 0
	case len(args) != 5 || !strings.EqualFold(args[2], "mask"):
		return unsupported(p)
	}
	r, ok := parseRoute(args[1], args[3], args[4])
	r.Persistent = persistent
	switch verb := strings.ToLower(args[0]); {
	case !ok:
		return routeFailed(p, either(p, "addition", "Hinzufügen"), winerr.InvalidParameter)
	case verb == "add":
		return addRoute(p, r, args[3])
	case verb == "delete" && !persistent:
		return deleteRoute(p, r, args[3])
	default:
		return unsupported(p)
	}
}

// parseRoute reads a network, its mask and a gateway.
func parseRoute(to, mask, gateway string) (network.Route, bool) {
	address, err1 := netip.ParseAddr(to)
	by, err2 := netip.ParseAddr(gateway)
	four := net.ParseIP(mask).To4()
	if err1 != nil || err2 != nil || four == nil {
		return network.Route{}, false
	}
	bits, size := net.IPMask(four).Size()
	prefix := netip.PrefixFrom(address, bits)
	return network.Route{Prefix: prefix, Gateway: by}, size == 32 && prefix == prefix.Masked()
}

// kept is the name of a route in the registry.
func kept(r network.Route, mask string) string {
	return fmt.Sprintf("%s,%s,%s,1", r.Prefix.Addr(), mask, r.Gateway)
}

func addRoute(p *machine.Process, r network.Route, mask string) uint32 {
	err := p.Machine.Network.AddRoute(r)
	if err == nil && r.Persistent {
		err = p.Machine.Registry.Set(persistentRoutes, registry.Text(kept(r, mask), ""))
	}
	switch {
	case err == nil:
		say(p, " OK!")
		return 0
	case errors.Is(err, network.ErrExists):
		return routeFailed(p, either(p, "addition", "Hinzufügen"), winerr.ObjectExists)
	default:
		return routeFailed(p, either(p, "addition", "Hinzufügen"), winerr.InvalidParameter)
	}
}

func deleteRoute(p *machine.Process, r network.Route, mask string) uint32 {
	if err := p.Machine.Network.RemoveRoute(r); err != nil {
		return routeFailed(p, either(p, "deletion", "Löschen"), winerr.ElementNotFound)
	}
	// A route that is not kept has no value.
	_ = p.Machine.Registry.DeleteValue(persistentRoutes, kept(r, mask))
	say(p, " OK!")
	return 0
}

func routeFailed(p *machine.Process, what string, code winerr.Code) uint32 {
	fmt.Fprintf(p.Stderr, either(p, "The route %s failed: %s\r\n", "Fehler beim %s der Route: %s\r\n"), what, p.Machine.Text(code))
	return 1
}

// printRoutes shows the routes that count and those that are kept, each with columns of
// its own.
func printRoutes(p *machine.Process) {
	line := strings.Repeat("=", 75)
	say(p, "%s\r\n%s\r\n%s", line, either(p, "IPv4 Route Table", "IPv4-Routentabelle"), line)
	say(p, "%s", either(p, "Active Routes:", "Aktive Routen:"))
	say(p, "%s", either(p, "Network Destination        Netmask          Gateway       Interface  Metric",
		"     Netzwerkziel    Netzwerkmaske          Gateway    Schnittstelle Metrik"))
	from := "127.0.0.1"
	if a, ok := p.Machine.Network.Primary(); ok {
		from = a.Address.Addr().String()
		if a.Gateway.IsValid() {
			say(p, "%17s%17s%17s%16s%7d", "0.0.0.0", "0.0.0.0", a.Gateway, from, 15)
		}
	}
	routes := p.Machine.Network.Routes()
	for _, r := range routes {
		say(p, "%17s%17s%17s%16s%7d", r.Prefix.Addr(), maskOf(r.Prefix), r.Gateway, from, 16)
	}
	say(p, "%s\r\n%s", line, either(p, "Persistent Routes:", "Ständige Routen:"))
	say(p, "%s", either(p, "  Network Address          Netmask  Gateway Address  Metric", "  Netzwerkadresse          Netzmaske  Gatewayadresse  Metrik"))
	for _, r := range routes {
		if r.Persistent {
			say(p, "%17s%17s%17s%8d", r.Prefix.Addr(), maskOf(r.Prefix), r.Gateway, 1)
		}
	}
	say(p, "%s", line)
}

func maskOf(prefix netip.Prefix) string {
	return net.IP(net.CIDRMask(prefix.Bits(), 32)).String()
}
