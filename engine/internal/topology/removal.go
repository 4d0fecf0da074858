package topology

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"kinit/engine/event"
)

// removals lists the nodes, pods and addresses that exist and that this topology removes, with
// the flag or command that names each, by kind and name.
func (e *expansion) removals() {
	r := &remover{e: e}
	if e.Recreate || e.Ends != "" {
		r.everything()
	} else {
		r.leaving()
		r.moved()
		r.strays()
		r.machines()
		r.pods()
		r.addresses()
	}
	e.t.Removals = r.all
}

type remover struct {
	e   *expansion
	all []event.Removal
}

// add adds a removal once. by is the flag or command that names it without --remove, or empty.
func (r *remover) add(kind, name, host string, ip netip.Addr, by, why string) {
	one := event.Removal{Kind: kind, Name: name, Host: host, Why: why, By: by}
	if ip.IsValid() {
		one.IP = ip.String()
	}
	r.list(one)
}

// list lists a removal once, with the name that --remove gives it.
func (r *remover) list(one event.Removal) {
	if given := r.e.Leave.removes(one.Named(), r.e.Cluster.Name); one.By == "" && given != "" {
		one.By = "--remove " + given
	}
	kind, name, host := one.Kind, one.Name, one.Host
	same := func(other event.Removal) bool { return other.Kind == kind && other.Name == name && other.Host == host }
	if !slices.ContainsFunc(r.all, same) {
		r.all = append(r.all, one)
	}
}

// everything lists all that is recorded or there: the run removes it first, or ends when it has.
func (r *remover) everything() {
	have, by, why := r.e.Existing, "--recreate", "everything is removed and built again"
	if r.e.Ends != "" && !(r.e.Recreate && r.e.Precedes) {
		by, why = "--stop-after "+r.e.Ends, "everything is removed"
	}
	for _, place := range have.record.Nodes {
		if host := have.host(place.Name); (!place.Away || host != "") && !slices.Contains(have.lost, host) {
			r.add(event.RemovedNode, place.Name, host, place.IP, by, why)
		}
	}
	r.found(func(string) bool { return true }, by, why)
	for _, place := range have.record.Pods {
		r.add(event.RemovedPod, place.Name, place.Hypervisor, place.IP, by, why)
	}
}

// found lists nodes that hosts have, on each host.
func (r *remover) found(is func(name string) bool, by, why string) {
	for _, name := range slices.Sorted(maps.Keys(r.e.Existing.on)) {
		if !is(name) {
			continue
		}
		for _, host := range r.e.Existing.on[name] {
			r.add(event.RemovedNode, name, host, r.e.Existing.node(name).IP, by, why)
		}
	}
}

func (r *remover) leaving() {
	for _, l := range r.e.t.Leaving {
		by, why := "", "the spec no longer has it"
		switch {
		case l.Lost && l.Hypervisor != "":
			by, why = "--lost "+l.Hypervisor, l.Hypervisor+" is lost"
		case r.e.Leave.hasNode(l.Name, r.e.Cluster.Name):
			by, why = "kinit replace", "it is replaced"
		case l.Lost: // a machine that was reinstalled
			by, why = "kinit restore", "the restore replaces it"
		case slices.Contains(r.e.Leave.Hypervisors, l.Hypervisor):
			by, why = "kinit evacuate", l.Hypervisor+" is evacuated"
		}
		switch {
		case l.Returns && l.Hypervisor == "":
			why += ", and joins again in a later run with its name and address"
		case l.Returns:
			why += ", and a later run creates it again with its name and address"
		}
		ip := l.IP
		if l.Hypervisor == "" {
			ip = netip.Addr{} // the machine keeps its own
		}
		r.add(event.RemovedNode, l.Name, l.Hypervisor, ip, by, why)
		for _, host := range r.e.Existing.on[l.Name] {
			r.add(event.RemovedNode, l.Name, host, netip.Addr{}, by, why)
		}
	}
}

// moved lists nodes of the topology on hosts where it does not have them: those that move, those
// that exist twice, and those that a restore replaces.
func (r *remover) moved() {
	have := r.e.Existing
	for _, n := range r.e.t.Nodes {
		if n.Hypervisor == "" {
			continue
		}
		hosts := slices.Clone(have.on[n.Name])
		if from := have.host(n.Name); from != "" && !slices.Contains(hosts, from) && !slices.Contains(have.lost, from) {
			hosts = append(hosts, from)
		}
		for _, host := range hosts {
			switch {
			case host != n.Hypervisor && slices.Contains(hosts, n.Hypervisor):
				why := "it also exists on " + n.Hypervisor + ", where it stays"
				if host == have.oldest(n.Name) {
					why += "; this copy is the older one, with the data from before"
				}
				r.list(event.Removal{Kind: event.RemovedNode, Name: n.Name, Host: host, Copy: true, Why: why})
			case host != n.Hypervisor:
				r.add(event.RemovedNode, n.Name, host, netip.Addr{}, "", "it moves to "+n.Hypervisor+", where it is created empty")
			case slices.Contains(r.e.t.Restore.Recreate, n.Name):
				r.add(event.RemovedNode, n.Name, host, netip.Addr{}, "kinit restore", "the restore replaces it")
			}
		}
	}
}

// strays lists nodes that hosts have and that neither the spec nor the record has.
func (r *remover) strays() {
	r.found(func(name string) bool {
		return !slices.ContainsFunc(r.e.t.Nodes, func(n Node) bool { return n.Name == name }) &&
			!slices.ContainsFunc(r.e.t.Leaving, func(l Leaving) bool { return l.Name == name })
	}, "", "the spec does not have it")
}

// machines lists existing machines that the spec no longer has as nodes.
func (r *remover) machines() {
	for _, place := range r.e.Existing.record.Nodes {
		stays := slices.ContainsFunc(r.e.t.Nodes, func(n Node) bool { return n.Name == place.Name })
		if place.Hypervisor == "" && !place.Away && !stays && r.e.Restore.ID == "" && len(r.e.Existing.on[place.Name]) == 0 {
			r.add(event.RemovedNode, place.Name, "", place.IP, "", "the spec no longer has this machine; kinit forgets it, and the machine stays as it is")
		}
	}
}

func (r *remover) pods() {
	for _, p := range r.e.t.Pods {
		for _, host := range p.Leaving {
			var ip netip.Addr
			for _, place := range r.e.Existing.record.Pods {
				if place.Hypervisor == host && strings.HasPrefix(place.Name, p.Name) {
					ip = place.IP
				}
			}
			r.add(event.RemovedPod, p.Name, host, ip, "", fmt.Sprintf("the cluster needs %d of it", 1+len(p.Replicas)))
		}
	}
}

// addresses lists recorded addresses that change, or that nothing has any more.
func (r *remover) addresses() {
	now := map[string]netip.Addr{}
	for _, n := range r.e.t.Nodes {
		if n.Overlay {
			now[n.Name] = n.IP
		}
	}
	for _, p := range r.e.t.Pods {
		for _, one := range append([]Pod{p}, p.Replicas...) {
			now[one.Name] = one.IP
		}
	}
	for _, h := range r.e.t.Hypervisors {
		now[h.Name] = h.Management.IP
	}
	lost := ""
	if hosts := r.e.Existing.lost; len(hosts) > 0 {
		lost = "--lost " + strings.Join(hosts, ",") // what was there has no hypervisor
	}
	for _, place := range r.e.Existing.places() {
		ip, stays := now[place.Name]
		switch {
		case !place.IP.IsValid() || place.Away || r.gone(place) || stays && ip == place.IP:
		case !stays:
			by := ""
			if place.Hypervisor == "" && r.e.Existing.pod(place.Name).Name != "" {
				by = lost
			}
			r.add(event.RemovedAddress, place.Name, place.Hypervisor, place.IP, by, "the cluster no longer has "+place.Name)
		case !r.freed(place):
			r.add(event.RemovedAddress, place.Name, place.Hypervisor, place.IP, "", "it becomes "+ip.String())
		}
	}
}

// gone reports whether a listed removal has the address of a place.
func (r *remover) gone(place Place) bool {
	return slices.ContainsFunc(r.all, func(one event.Removal) bool { return one.IP == place.IP.String() })
}

// freed reports whether a pod's address becomes the one that all its replicas share: others still
// find the pod by it.
func (r *remover) freed(place Place) bool {
	return slices.ContainsFunc(r.e.t.Pods, func(p Pod) bool { return p.Address == place.IP })
}
