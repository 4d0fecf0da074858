package topology

import (
	"cmp"
	"net/netip"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory"
)

// addressVar is the inventory variable with the address by which other nodes reach a
// machine, if kinit's address for it is no IP address.
const addressVar = "node_address"

// nodePort returns a machine's port on the cluster's network, whose address is assigned
// later, or a port with the machine's address outside of that network, or the problem.
func (i identities) nodePort(p Pool, host *inventory.Host, place Place) (port Port, problem string) {
	if p.Overlay {
		return i.port(host.Name, place), ""
	}
	address, problem := nodeAddress(host)
	return Port{Name: host.Name, IP: address}, problem
}

// nodeSystem returns the operating system of a machine: the pool's, which must be of the
// inventory's family, or that family if the pool names none.
func nodeSystem(p Pool, host *inventory.Host) (system, problem string) {
	family := cmp.Or(host.OS, inventory.Linux)
	if family == inventory.Linux && host.Transport == inventory.WinRM {
		family = inventory.Windows
	}
	if !p.saysOS {
		if family == inventory.Linux {
			return p.OS, ""
		}
		return family, ""
	}
	if isWindows(p.OS) != (family == inventory.Windows) {
		return "", "runs " + family + " by its inventory, and the pool " + strconv.Quote(p.Name) + " has the os " + strconv.Quote(p.OS)
	}
	return p.OS, ""
}

// nodeAddress returns the address by which other nodes reach a machine, or the problem.
func nodeAddress(host *inventory.Host) (address netip.Addr, problem string) {
	text, from := host.Address, "is reached by "
	if said, ok := host.Vars[addressVar]; ok && said.IsKnown() && !said.IsNull() {
		if said, _ = said.Unmark(); said.Type() != cty.String {
			return netip.Addr{}, "has a " + addressVar + " that is no text"
		}
		text, from = said.AsString(), "has the "+addressVar+" "
	}
	address, err := netip.ParseAddr(text)
	if err != nil || !address.Is4() {
		return netip.Addr{}, from + strconv.Quote(text) + ", which is no IPv4 address"
	}
	return address, ""
}
