package inventory

import (
	"cmp"
	"net"
	"strconv"
)

// Endpoint returns the address and port of a host, or "" if it is not in the inventory or is this machine. The port of a host without one
// is that of SSH or WinRM.
func (inv *Inventory) Endpoint(name string) string {
	h := inv.Host(name)
	if h == nil || h.Transport == Local {
		return ""
	}
	port := 22
	if h.Transport == WinRM {
		port = 5986
	}
	return net.JoinHostPort(cmp.Or(h.Address, h.Name), strconv.Itoa(cmp.Or(h.Port, port)))
}

// Twins lists the other hosts that have the address and port of a host.
func (inv *Inventory) Twins(name string) (twins []string) {
	at := inv.Endpoint(name)
	for _, other := range inv.HostNames() {
		if at != "" && other != name && inv.Endpoint(other) == at {
			twins = append(twins, other)
		}
	}
	return twins
}
