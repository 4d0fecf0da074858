package facts

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
)

//go:embed kernel.sh
var kernelScript string

// readKernel reads the network from /sys and /proc, on a host without iproute2.
func readKernel(ctx context.Context, h module.Host) (network, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", kernelScript}})
	if err != nil {
		return network{}, err
	}
	return parseKernel(out.Stdout), nil
}

// subnet is a line of the routing table.
type subnet struct {
	device  string
	network netip.Prefix
	metric  int64
}

// parseKernel reads what kernelScript prints. The kernel's table of local addresses does not say on which interface an
// IPv4 address is: it is on that of the narrowest route to it, and loopback addresses are on lo. An address without a subnet (/32) has
// no route: see lone.
func parseKernel(text string) network {
	var links []link
	var routes []subnet
	var local []netip.Addr
	last := ""
	v6 := map[string][]address{}
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		f := strings.Fields(rest)
		switch {
		case kind == "link" && len(f) >= 3:
			links = append(links, newLink(f))
		case kind == "route" && len(f) >= 8:
			if r, ok := parseRoute(f); ok {
				routes = append(routes, r)
			}
		case kind == "if_inet6" && len(f) == 6:
			v6[f[5]] = append(v6[f[5]], parseV6(f))
		case kind == "fib_trie" && len(f) == 2 && f[0] == "|--":
			last = f[1]
		case kind == "fib_trie" && len(f) == 3 && f[0] == "/32" && f[2] == "LOCAL":
			if a, err := netip.ParseAddr(last); err == nil && !slices.Contains(local, a) {
				local = append(local, a)
			}
		}
	}
	slices.SortFunc(links, func(a, b link) int { return cmp.Compare(a.index, b.index) })
	n := network{}
	best := subnet{}
	for _, r := range routes {
		if r.network.Bits() == 0 && (best.device == "" || r.metric < best.metric) {
			best = r
		}
	}
	on := map[string][]netip.Addr{}
	for _, a := range local {
		device := deviceOf(a, routes)
		on[device] = append(on[device], a)
	}
	if device := lone(links, on, best.device); device != "" {
		on[device] = on[""]
	}
	for _, l := range links {
		for _, a := range on[l.Name] {
			l.Addresses = append(l.Addresses, address{a.String(), scope(a)})
		}
		slices.SortStableFunc(v6[l.Name], func(a, b address) int { return cmp.Compare(a.Scope, b.Scope) }) // global, host, link
		l.Addresses = append(l.Addresses, v6[l.Name]...)
		n.interfaces = append(n.interfaces, l.iface)
	}
	n.defaultInterface = best.device
	return n
}

// lone returns the interface of the addresses without a route: the only one that has no other IPv4 address. A single such address is
// on the interface of the default route, which needs one, as on machines of clouds that route everything through a gateway. Otherwise
// it is not known.
func lone(links []link, on map[string][]netip.Addr, byDefault string) string {
	var bare []string
	for _, l := range links {
		if l.Name != "lo" && len(on[l.Name]) == 0 {
			bare = append(bare, l.Name)
		}
	}
	switch {
	case len(bare) == 1:
		return bare[0]
	case len(on[""]) == 1 && slices.Contains(bare, byDefault):
		return byDefault
	}
	return ""
}

// link is an interface and its number.
type link struct {
	iface
	index int
}

func newLink(f []string) link {
	l := link{iface: iface{Name: f[1]}}
	l.index, _ = strconv.Atoi(f[0])
	l.MTU, _ = strconv.ParseInt(f[2], 10, 64)
	if len(f) > 3 {
		l.MAC = f[3]
	}
	return l
}

// parseRoute reads a line of /proc/net/route, whose addresses are numbers in the order of the processor's bytes.
func parseRoute(f []string) (subnet, bool) {
	to, ok1 := reversed(f[1])
	mask, ok2 := reversed(f[7])
	if !ok1 || !ok2 {
		return subnet{}, false // the head of the table
	}
	bits := 0
	for m := binary.BigEndian.Uint32(mask[:]); m != 0; m <<= 1 {
		bits++
	}
	metric, _ := strconv.ParseInt(f[6], 10, 64)
	return subnet{device: f[0], network: netip.PrefixFrom(netip.AddrFrom4(to), bits), metric: metric}, true
}

func reversed(text string) (b [4]byte, ok bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(b) {
		return b, false
	}
	slices.Reverse(raw) // of a little-endian processor, as all that kinit knows
	return [4]byte(raw), true
}

func parseV6(f []string) address {
	raw, err := hex.DecodeString(f[0])
	a, ok := netip.AddrFromSlice(raw)
	if err != nil || !ok {
		return address{}
	}
	return address{a.String(), map[string]string{"10": "host", "20": "link", "00": "global"}[f[3]]}
}

// deviceOf returns the interface with the narrowest route to an address; the default route is none.
func deviceOf(a netip.Addr, routes []subnet) string {
	if a.IsLoopback() {
		return "lo"
	}
	best := subnet{}
	for _, r := range routes {
		if r.network.Bits() > max(best.network.Bits(), 0) && r.network.Contains(a) {
			best = r
		}
	}
	return best.device
}

func scope(a netip.Addr) string {
	switch {
	case a.IsLoopback():
		return "host"
	case a.IsLinkLocalUnicast():
		return "link"
	}
	return "global"
}
