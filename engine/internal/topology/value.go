package topology

import (
	"maps"
	"net"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Value returns the value of cluster in expressions.
func (t *Topology) Value() cty.Value {
	nodes := map[string]cty.Value{}
	pools := map[string][]cty.Value{}
	for _, p := range t.Cluster.Pools {
		pools[p.Name] = nil
	}
	for _, n := range t.Nodes {
		value := n.value()
		nodes[n.Name] = value
		pools[n.Pool] = append(pools[n.Pool], value)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":        cty.StringVal(t.Cluster.Name),
		"domain":      cty.StringVal(t.Cluster.Domain),
		"id":          cty.StringVal(t.ID),
		"vars":        cty.ObjectVal(t.Cluster.Vars),
		"network":     t.network(),
		"nodes":       cty.ObjectVal(nodes),
		"pools":       lists(pools),
		"pods":        t.pods(),
		"hypervisors": t.hypervisors(),
		"moves":       t.moves(),
		"leaving":     t.leaving(),
		"existing":    t.existing(),
		"leads":       t.leads(),
		"restore":     t.Restore.value(),
		"record": cty.ObjectVal(map[string]cty.Value{
			"path": cty.StringVal(RecordPath(t.Cluster.Name)), "text": cty.StringVal(t.Record), "left": cty.StringVal(t.Left),
		}),
	})
}

// moves maps nodes to where they move from and to.
func (t *Topology) moves() cty.Value {
	all := map[string]cty.Value{}
	for _, m := range t.Moves {
		all[m.Node] = cty.ObjectVal(map[string]cty.Value{"from": cty.StringVal(m.From), "to": cty.StringVal(m.To)})
	}
	return cty.ObjectVal(all)
}

// leaving maps nodes that leave to what they have.
func (t *Topology) leaving() cty.Value {
	all := map[string]cty.Value{}
	for _, l := range t.Leaving {
		all[l.Name] = l.Port.with(map[string]cty.Value{
			"hypervisor": cty.StringVal(l.Hypervisor), "returns": cty.BoolVal(l.Returns), "destroy": cty.BoolVal(l.Destroy),
		})
	}
	return cty.ObjectVal(all)
}

// existing lists the nodes that the record already has and that stay where they are.
func (t *Topology) existing() cty.Value {
	if len(t.Existing) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	var names []cty.Value
	for _, name := range t.Existing {
		names = append(names, cty.StringVal(name))
	}
	return cty.ListVal(names)
}

// leads maps pools to the names of the nodes that lead them.
func (t *Topology) leads() cty.Value {
	all := map[string]cty.Value{}
	for pool, node := range t.Leads {
		all[pool] = cty.StringVal(node)
	}
	return cty.ObjectVal(all)
}

// lists makes an object of lists. They are tuples because the vars of two nodes
// may differ in type.
func lists(by map[string][]cty.Value) cty.Value {
	all := map[string]cty.Value{}
	for name, values := range by {
		all[name] = cty.TupleVal(values)
	}
	return cty.ObjectVal(all)
}

func (t *Topology) network() cty.Value {
	prefix := t.Cluster.Network.Prefix
	return cty.ObjectVal(map[string]cty.Value{
		"cidr":    cty.StringVal(prefix.String()),
		"prefix":  number(int64(prefix.Bits())),
		"gateway": cty.StringVal(t.Gateway.String()),
		"netmask": cty.StringVal(net.IP(net.CIDRMask(prefix.Bits(), 32)).String()),
	})
}

func (n Node) value() cty.Value {
	return n.Port.with(map[string]cty.Value{
		"short":        cty.StringVal(n.Short),
		"pool":         cty.StringVal(n.Pool),
		"driver":       cty.StringVal(n.Driver),
		"overlay":      cty.BoolVal(n.Overlay),
		"index":        number(int64(n.Index)),
		"uuid":         cty.StringVal(n.UUID),
		"hypervisor":   cty.StringVal(n.Hypervisor),
		"vcpus":        number(int64(n.VCPUs)),
		"memory":       cty.StringVal(n.Memory.Text),
		"memory_bytes": number(n.Memory.Bytes),
		"disk":         cty.StringVal(n.Disk.Text),
		"disk_bytes":   number(n.Disk.Bytes),
		"os":           cty.StringVal(n.OS),
		"vars":         cty.ObjectVal(n.Vars),
	})
}

func (t *Topology) pods() cty.Value {
	var pods []cty.Value
	for _, p := range t.Pods {
		var replicas []cty.Value
		for _, r := range p.Replicas {
			replicas = append(replicas, r.Port.with(map[string]cty.Value{"hypervisor": cty.StringVal(r.Hypervisor)}))
		}
		pods = append(pods, p.Port.with(map[string]cty.Value{
			"hypervisor": cty.StringVal(p.Hypervisor), "address": cty.StringVal(p.Address.String()),
			"replicas": cty.TupleVal(replicas), "leaving": texts(p.Leaving),
		}))
	}
	return cty.TupleVal(pods)
}

func (t *Topology) hypervisors() cty.Value {
	var hosts []cty.Value
	for _, h := range t.Hypervisors {
		hosts = append(hosts, cty.ObjectVal(map[string]cty.Value{
			"name":       cty.StringVal(h.Name),
			"address":    cty.StringVal(h.Address),
			"index":      number(int64(h.Index)),
			"vars":       cty.ObjectVal(h.Vars),
			"management": h.Management.with(nil),
		}))
	}
	return cty.TupleVal(hosts)
}

// with returns the port as an object with more attributes.
func (p Port) with(more map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{
		"name":    cty.StringVal(p.Name),
		"ip":      cty.StringVal(p.IP.String()),
		"mac":     cty.StringVal(p.MAC),
		"port_id": cty.StringVal(p.PortID),
	}
	maps.Copy(all, more)
	return cty.ObjectVal(all)
}

func number(n int64) cty.Value { return cty.NumberIntVal(n) }

func (r Restoring) value() cty.Value {
	there := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(r.There)) {
		there[name] = cty.StringVal(r.There[name])
	}
	return cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal(r.ID), "begun": cty.StringVal(r.Begun), "anew": texts(r.Anew), "machines": texts(r.Machines),
		"there": cty.ObjectVal(there), "destroy": texts(r.Destroy),
	})
}

func texts(names []string) cty.Value {
	if len(names) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	values := make([]cty.Value, len(names))
	for i, name := range names {
		values[i] = cty.StringVal(name)
	}
	return cty.ListVal(values)
}
