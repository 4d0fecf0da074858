package topology

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// addressVar is the inventory variable with the address by which other nodes reach a
// machine, if kinit's address for it is no IP address.
const addressVar = "node_address"

// machines makes the nodes of a pool of existing machines.
func (e *expansion) machines(p Pool) {
	for i, name := range p.Hosts {
		host := e.inventory.Host(name)
		switch {
		case host == nil:
			e.diags = append(e.diags, diag.Errorf(&p.named, "Unknown host", "The pool %q names the machine %q, which is in no inventory.%s", p.Name, name, diag.Near(name, e.inventory.HostNames()))...)
			continue
		case slices.Contains(e.load.names, name):
			e.diags = append(e.diags, diag.Errorf(&p.named, "Conflicting roles", "The machine %q is a node of pool %q and a hypervisor of this run, whose services would take the node's ports. Name the hypervisors by --hosts without it, or leave it out of the pool.", name, p.Name)...)
			continue
		case e.pools[name] != "":
			e.diags = append(e.diags, diag.Errorf(&p.named, "Duplicate machine", "The machine %q is in pool %q already. Name it once.", name, e.pools[name])...)
			continue
		}
		port, problem := e.nodePort(p, host)
		if problem != "" {
			e.diags = append(e.diags, diag.Errorf(&p.named, "No address", "The machine %q %s. Say in its inventory by which one the other nodes reach it, as in vars = { %s = \"192.0.2.5\" }.", name, problem, addressVar)...)
			continue
		}
		system, problem := nodeSystem(p, host)
		if problem != "" {
			e.diags = append(e.diags, diag.Errorf(&p.named, "Another system", "The machine %q %s. Name another machine, or leave os out where the pool may have machines of any system.", name, problem)...)
			continue
		}
		if p.Overlay && isWindows(system) {
			e.diags = append(e.diags, diag.Errorf(&p.overlaid, "Not possible yet", "The machine %q of pool %q runs %s, and kinit takes machines with Linux alone onto the overlay. Name it in a pool without overlay: it is reached beside the overlay then.", name, p.Name, system)...)
			continue
		}
		e.pools[name] = p.Name
		e.t.Nodes = append(e.t.Nodes, Node{
			Port: port, Short: name, Pool: p.Name, Driver: p.Driver, Overlay: p.Overlay, Index: i, UUID: id(e.t.Cluster.Name, "machine", name),
			VCPUs: p.VCPUs, Memory: p.Memory, Disk: p.Disk, OS: system, Vars: p.Vars,
		})
	}
}

// nodePort returns a machine's port on the cluster's network, whose address is assigned
// later, or a port with the machine's address outside of that network, or the problem.
func (e *expansion) nodePort(p Pool, host *inventory.Host) (port Port, problem string) {
	if p.Overlay {
		return e.ids.port(host.Name), ""
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
