package topology

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// ErrExisting is the cause when what the hosts have of a cluster does not go with the run.
var ErrExisting = errors.New("the hosts have something else")

// Answer is what one host has of a cluster, as it was asked before the cluster is expanded.
type Answer struct {
	Host     string
	Silent   bool              // the host did not answer
	Err      error             // why the host did not answer, if that matters; else nil
	Taken    bool              // the host has the cluster's name, of this instance or another one
	Machine  Machine           // that has answered
	Instance string            // the id of the cluster's instance there; empty without one
	Record   *Record           // nil without one
	Nodes    map[string]string // that are there, and the driver that found each
	Told     bool              // every driver of the cluster could find out which nodes are there
	Untold   []string          // the other drivers that could not, if the record does not say which driver made the nodes
	At       string            // where the inventory has the host, as in "192.0.2.5:22"; empty if it does not
	Twins    []string          // other names that the inventory has there
	Foreign  bool              // it is of another instance than those of the controller, so it does not count
}

// Existing is what the hosts have of a cluster. The zero value is nothing: the cluster is new.
type Existing struct {
	record   Record              // of generation 0 without one
	known    map[string]string   // the machine-ids of the record, by names of machines; of lost hosts too
	machines map[string]Machine  // that have answered, by their names
	records  map[string]*Record  // of hosts that have one; after an interruption, or while a host was away, they differ
	on       map[string][]string // the hosts that have a node, sorted, by its name
	made     map[string]string   // the driver that found a node
	told     map[string]bool     // hosts that could say which nodes they have
	untold   map[string][]string // drivers that could not list the nodes of a host, although the record does not name their driver
	silent   map[string]error    // why hosts did not answer, if that matters
	lost     []string            // hosts that do not come back
	hosts    []string            // the hosts of the record, lost ones too, by name
	at       map[string]string   // where the inventory has hosts
	twins    map[string][]string // other names that it has there
}

// Merge joins what the hosts have. What was on lost hosts is gone: the nodes leave, and the
// rest is placed again.
func Merge(answers []Answer, lost []string) Existing {
	x := Existing{
		on: map[string][]string{}, made: map[string]string{}, told: map[string]bool{}, untold: map[string][]string{}, silent: map[string]error{},
		lost: lost, machines: map[string]Machine{}, records: map[string]*Record{}, at: map[string]string{}, twins: map[string][]string{},
	}
	var records []*Record
	for _, a := range answers {
		x.silent[a.Host], x.told[a.Host], x.untold[a.Host] = a.Err, a.Told, a.Untold
		x.at[a.Host], x.twins[a.Host] = a.At, a.Twins
		if !a.Silent {
			x.machines[a.Host] = a.Machine
		}
		if a.Foreign {
			continue
		}
		if a.Record != nil {
			records = append(records, a.Record)
			x.records[a.Host] = a.Record
		}
		for name, driver := range a.Nodes {
			x.on[name], x.made[name] = append(x.on[name], a.Host), driver
		}
	}
	for name := range x.on {
		slices.Sort(x.on[name])
		x.on[name] = slices.Compact(x.on[name])
	}
	newest := newest(records)
	x.known, x.record = newest.identified(), newest.without(lost)
	x.hosts = slices.Compact(slices.Sorted(slices.Values(newest.Hosts())))
	return x
}

// without returns the record without lost hosts. A pod that was there keeps its address, and so does a node
// that was to come back there. Other nodes still have to leave.
func (r Record) without(lost []string) Record {
	on := func(p Place) bool { return slices.Contains(lost, p.Hypervisor) }
	r.Hypervisors = slices.DeleteFunc(slices.Clone(r.Hypervisors), func(p Place) bool { return slices.Contains(lost, p.Name) })
	r.Pods = unplaced(r.Pods, on)
	r.Nodes = unplaced(r.Nodes, func(p Place) bool { return p.Away && on(p) })
	return r
}

// givenUp returns what exists without the nodes of lost hosts, which have their addresses only.
func (x Existing) givenUp() Existing {
	x.record.Nodes = unplaced(x.record.Nodes, func(p Place) bool { return x.isLost(p.Name) })
	return x
}

// unplaced returns places, of which those that are meant have no hypervisor.
func unplaced(places []Place, meant func(Place) bool) []Place {
	all := slices.Clone(places)
	for i, p := range places {
		if meant(p) {
			all[i].Hypervisor = ""
		}
	}
	return all
}

// isLost reports whether a node was on a host that does not come back.
func (x Existing) isLost(node string) bool {
	host := x.host(node)
	return host != "" && slices.Contains(x.lost, host)
}

// Known reports whether a host has a record of the cluster, or a node of it.
func (x Existing) Known() bool { return x.record.Generation > 0 || len(x.on) > 0 }

// HasRecord reports whether a host has a record of the cluster.
func (x Existing) HasRecord() bool { return x.record.Generation > 0 }

// order returns the hosts in the order of the cluster's hypervisors: those of the record
// first, then the others by their names, whatever the order of the selected hosts. A cluster
// from before there were records keeps that order.
func (x Existing) order(hosts []*inventory.Host) []*inventory.Host {
	if x.record.Generation == 0 && len(x.on) > 0 {
		return hosts
	}
	index := map[string]int{}
	for i, p := range x.record.Hypervisors {
		index[p.Name] = i + 1
	}
	rank := func(h *inventory.Host) int { return cmp.Or(index[h.Name], len(index)+1) }
	return slices.SortedFunc(slices.Values(hosts), func(a, b *inventory.Host) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name, b.Name))
	})
}

// node, pod and hypervisor return the recorded place of that name, or an empty one without a name.
func (x Existing) node(name string) Place       { return find(x.record.Nodes, name) }
func (x Existing) pod(name string) Place        { return find(x.record.Pods, name) }
func (x Existing) hypervisor(name string) Place { return find(x.record.Hypervisors, name) }

func find(places []Place, name string) Place {
	for _, p := range places {
		if p.Name == name {
			return p
		}
	}
	return Place{}
}

// called returns the name of the recorded node whose long name is shortened, or "".
func (x Existing) called(long string) string {
	for _, p := range x.record.Nodes {
		if p.Long == long {
			return p.Name
		}
	}
	return ""
}

// host returns the hypervisor that a node is on, or "". What hosts really have counts more
// than the record, unless the recorded host could not say what it has.
func (x Existing) host(node string) string {
	place := x.node(node)
	on := x.on[node]
	if place.Away {
		place.Hypervisor = ""
	}
	if len(on) == 0 || slices.Contains(on, place.Hypervisor) {
		return place.Hypervisor
	}
	if place.Hypervisor != "" && !x.told[place.Hypervisor] && !slices.Contains(x.lost, place.Hypervisor) {
		return place.Hypervisor
	}
	return on[0]
}

// oldest returns the host whose copy of a node is known to be older than the others, or "": its own record has the node
// there, and later records have it on the hosts of the other copies, where kinit has created it empty.
func (x Existing) oldest(node string) string {
	first := ""
	for _, host := range x.on[node] {
		r := x.records[host]
		if r == nil || r.Instance == "" || r.Instance != x.record.Instance || find(r.Nodes, node).Hypervisor != host {
			return ""
		}
		if first == "" || r.Generation < x.records[first].Generation {
			first = host
		}
	}
	for _, host := range x.on[node] {
		if host != first && x.records[host].Generation <= x.records[first].Generation {
			return ""
		}
	}
	return first
}

func (x Existing) places() []Place {
	return slices.Concat(x.record.Nodes, x.record.Pods, x.record.Hypervisors)
}

// Contents lists by host what the cluster has there.
func (x Existing) Contents() map[string][]string {
	on := map[string][]string{}
	if len(x.record.Hypervisors) > 0 {
		first := x.record.Hypervisors[0].Name
		on[first] = append(on[first], "what the cluster's first hypervisor keeps, such as its keys")
	}
	for _, p := range slices.Concat(x.record.Pods, x.record.Nodes) {
		host := p.Hypervisor
		if x.node(p.Name).Name != "" {
			host = x.host(p.Name)
		}
		if host != "" && !slices.Contains(x.lost, host) {
			on[host] = append(on[host], p.Name)
		}
	}
	return on
}

// Hosts lists the hosts that the record names, those that do not come back too, by name.
func (x Existing) Hosts() []string { return x.hosts }

// sameAddress returns two of some hosts that the inventory has at one address and port, the one that the record names
// first, or "".
func (x Existing) sameAddress(hosts []string) (one, other string) {
	for _, host := range hosts {
		for _, twin := range x.twins[host] {
			if slices.Contains(hosts, twin) && (slices.Contains(x.hosts, host) || !slices.Contains(x.hosts, twin)) {
				return host, twin
			}
		}
	}
	return "", ""
}

// giveUp says how to go on without a host: by --lost, and by another place for what the cluster wants there.
func (c Cluster) giveUp(host string) string {
	var there []string
	for _, pool := range c.Pools {
		if slices.Contains(pool.Hypervisors, host) {
			there = append(there, fmt.Sprintf("the pool %q", pool.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Nodes)) {
		if c.Nodes[name].Hypervisor == host {
			there = append(there, fmt.Sprintf("the node %q", name))
		}
	}
	for _, pod := range c.Pods {
		if pod.Hypervisor == host {
			there = append(there, fmt.Sprintf("the pod %q", pod.Name))
		}
	}
	lost := fmt.Sprintf("give --lost %s: its nodes are recreated empty on other hosts", host)
	if len(there) == 0 {
		return lost
	}
	return fmt.Sprintf("give %s another hypervisor than %s, and %s", strings.Join(there, " and "), host, lost)
}

// missing reports what the cluster has on hosts that the run does not have, or that did not
// answer. A run that ends with a clean-up leaves there what a lost host has.
func (x Existing) missing(c Cluster, hosts []*inventory.Host, cleansUp bool) diag.List {
	on := x.Contents()
	var diags diag.List
	for _, host := range slices.Sorted(maps.Keys(on)) {
		giveUp := c.giveUp(host)
		if cleansUp {
			giveUp = fmt.Sprintf("give --lost %s: what it has stays there", host)
		}
		d := diag.Diagnostic{Summary: "Hypervisor missing", Subject: &c.Range, Cause: ErrExisting, Host: host}
		d.Detail = fmt.Sprintf("The cluster %q has on %s: %s. ", c.Name, host, strings.Join(on[host], ", "))
		switch {
		case x.silent[host] != nil:
			d.Summary, d.Cause = "Hypervisor does not answer", errors.Join(ErrExisting, x.silent[host])
			d.Detail += fmt.Sprintf("That host does not answer: %v. Check its address and port in the inventory first. If it does not come back, make sure that it is off, or its nodes run twice, and %s.", x.silent[host], giveUp)
		case !slices.ContainsFunc(hosts, func(h *inventory.Host) bool { return h.Name == host }):
			d.Detail += fmt.Sprintf("The run does not have that host: name it by --hosts too. If it does not come back, %s.", giveUp)
		default:
			continue
		}
		diags = append(diags, d)
	}
	return diags
}
