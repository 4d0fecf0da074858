package topology

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Difference is something that a cluster keeps for as long as it exists, and that a run has otherwise.
type Difference struct {
	What      string // such as "driver of pool compute"
	Exists    string
	Requested string
}

// Differences compares what exists of a cluster with what a run requests. Fixed values that one of the two
// does not have are no difference: they are not known, or not needed.
func (x Existing) Differences(c Cluster, fixed map[string]string) []Difference {
	if !x.Known() {
		return nil
	}
	var all []Difference
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		if exists, known := x.record.Fixed[name]; known && exists != fixed[name] {
			all = append(all, Difference{name, exists, fixed[name]})
		}
	}
	if d := x.network(c); d.What != "" {
		all = append(all, d)
	}
	for _, p := range c.Pools {
		for _, driver := range x.drivers(c, p) {
			if driver != p.Driver {
				all = append(all, Difference{"driver of pool " + p.Name, driver, p.Driver})
			}
		}
	}
	if d := x.otherDrivers(c); d.What != "" {
		all = append(all, d)
	}
	return all
}

// otherDrivers compares the drivers as a whole if no pool has nodes that exist: pools may have got other names, but a
// request that shares neither a node nor a driver with the cluster is for another one.
func (x Existing) otherDrivers(c Cluster) (d Difference) {
	exist, requested := map[string]bool{}, map[string]bool{}
	for _, place := range x.record.Nodes {
		if !place.Away && place.Driver != "" {
			exist[place.Driver] = true
		}
	}
	for _, p := range c.Pools {
		if len(x.drivers(c, p)) > 0 {
			return d
		}
		if p.Driver != "" {
			requested[p.Driver] = true
		}
	}
	if len(exist) == 0 || len(requested) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(requested)), func(name string) bool { return exist[name] }) {
		return d
	}
	return Difference{"drivers", strings.Join(slices.Sorted(maps.Keys(exist)), ", "), strings.Join(slices.Sorted(maps.Keys(requested)), ", ")}
}

// fixed returns what the record is to say of fixed values: what is requested, and what is recorded of those for
// which nothing is requested.
func (in Input) fixed() map[string]string {
	all := map[string]string{}
	if !in.Recreate {
		maps.Copy(all, in.Existing.record.Fixed)
	}
	maps.Copy(all, in.Fixed)
	return all
}

// network compares the networks. A record that does not have it has addresses of it.
func (x Existing) network(c Cluster) (d Difference) {
	requested := c.Network.Prefix
	if x.record.Network.IsValid() {
		if x.record.Network != requested {
			d = Difference{"network", x.record.Network.String(), requested.String()}
		}
		return d
	}
	for _, p := range x.places() {
		for _, ip := range []netip.Addr{p.IP, p.Address} {
			if ip.IsValid() && !requested.Contains(ip) {
				return Difference{"network", fmt.Sprintf("one with %s, the address of %s", ip, p.Name), requested.String()}
			}
		}
	}
	return d
}

// drivers lists the drivers by which nodes of a requested pool exist, as the record says, or else as hosts were
// found.
func (x Existing) drivers(c Cluster, p Pool) []string {
	own := x.names(c, p)
	var all []string
	for _, place := range x.record.Nodes {
		if !place.Away && (place.Pool == p.Name || own[place.Name]) {
			all = append(all, place.Driver)
		}
	}
	for name := range own {
		if place := x.node(name); place.Driver == "" && x.made[name] != "" {
			all = append(all, x.made[name])
		}
	}
	all = slices.DeleteFunc(all, func(driver string) bool { return driver == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

// names are those of a pool's nodes. A name that Windows needs shortened is the recorded one.
func (x Existing) names(c Cluster, p Pool) map[string]bool {
	all := map[string]bool{}
	for _, name := range p.Hosts {
		all[name] = true
	}
	if p.Hosts != nil {
		return all
	}
	for i := range p.Count {
		full, _ := nodeName(c.Name, p, i)
		if short := x.called(full); isWindows(p.OS) && short != "" {
			full = short
		}
		all[full] = true
	}
	return all
}

// Unidentified returns a recorded node of the cluster of which nothing says which driver made it, since a driver
// that the cluster does not use could not list the nodes of the host that it is on, and that driver.
func (x Existing) Unidentified(c Cluster) (node, host, driver string) {
	for _, p := range c.Pools {
		for _, name := range slices.Sorted(maps.Keys(x.names(c, p))) {
			place := x.node(name)
			if untold := x.untold[place.Hypervisor]; place.Driver == "" && x.made[name] == "" && len(untold) > 0 {
				return name, place.Hypervisor, untold[0]
			}
		}
	}
	return "", "", ""
}

// Of reports whether what exists is the requested cluster, as far as the drivers tell: some of its nodes were made
// by the driver of pools that name none, or none by any other.
func (x Existing) Of(c Cluster) bool {
	made := slices.Collect(maps.Values(x.made))
	for _, place := range x.record.Nodes {
		if place.Hypervisor != "" && place.Driver != "" {
			made = append(made, place.Driver)
		}
	}
	return len(made) == 0 || slices.Contains(made, c.Driver)
}

// Recorded returns the cluster with the network that exists and, where a pool's nodes exist by another driver of
// the known ones, with that driver.
func (x Existing) Recorded(c Cluster, known []string) Cluster {
	if x.record.Network.IsValid() {
		c.Network.Prefix = x.record.Network
	}
	c.Pools = slices.Clone(c.Pools)
	for i, p := range c.Pools {
		if exist := x.drivers(c, p); len(exist) == 1 && p.Hosts == nil && slices.Contains(known, exist[0]) {
			c.Pools[i].Driver = exist[0]
		}
	}
	return c
}

// Hypervisors lists those of the record, in their order.
func (x Existing) Hypervisors() []string {
	var names []string
	for _, p := range x.record.Hypervisors {
		names = append(names, p.Name)
	}
	return names
}

// WithNodes returns the hosts that have nodes of the cluster, by name.
func (x Existing) WithNodes() []string {
	var all []string
	for _, hosts := range x.on {
		all = append(all, hosts...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Instance returns the id of the recorded instance, or "".
func (x Existing) Instance() string { return x.record.Instance }

// Life returns a text that is another one when the cluster was removed or rebuilt, or "" if none is recorded.
func (x Existing) Life() string {
	if x.record.Rebuilt == "" {
		return x.record.Instance
	}
	return x.record.Instance + " " + x.record.Rebuilt
}

// Before returns the value of cluster in expressions that are evaluated before the cluster is expanded. What
// depends on the places is unknown.
func (c Cluster) Before() cty.Value {
	all := map[string]cty.Value{}
	for name := range (&Topology{}).Value().Type().AttributeTypes() {
		all[name] = cty.DynamicVal
	}
	all["name"], all["domain"], all["vars"] = cty.StringVal(c.Name), cty.StringVal(c.Domain), cty.ObjectVal(c.Vars)
	return cty.ObjectVal(all)
}
