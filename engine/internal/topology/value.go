package topology

import (
	"maps"
	"net"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/lists"
)

// Value returns the value of cluster in expressions.
func (t *Topology) Value() cty.Value {
	nodes, members := map[string]cty.Value{}, map[string][]cty.Value{}
	for _, n := range t.Nodes {
		nodes[n.Name] = n.value()
		members[n.Pool] = append(members[n.Pool], nodes[n.Name])
	}
	pools := map[string]cty.Value{}
	for _, p := range t.Cluster.Pools { // tuples because the vars of two nodes may differ in type
		pools[p.Name] = cty.TupleVal(members[p.Name])
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":        cty.StringVal(t.Cluster.Name),
		"domain":      cty.StringVal(t.Cluster.Domain),
		"id":          cty.StringVal(t.ID),
		"vars":        cty.ObjectVal(t.Cluster.Vars),
		"network":     t.network(),
		"nodes":       cty.ObjectVal(nodes),
		"pools":       cty.ObjectVal(pools),
		"pods":        t.pods(),
		"hypervisors": t.hypervisors(),
		"moves":       t.moves(),
		"leaving":     t.leaving(),
		"existing":    texts(t.Existing),
		"leads":       named(t.Leads),
		"restore":     t.Restore.value(),
		"record":      named(map[string]string{"path": RecordPath(t.Cluster.Name), "text": t.Record, "left": t.Left}),
	})
}

// moves maps nodes to where they move from and to.
func (t *Topology) moves() cty.Value {
	all := map[string]cty.Value{}
	for _, m := range t.Moves {
		all[m.Node] = named(map[string]string{"from": m.From, "to": m.To})
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
	return cty.TupleVal(lists.Map(t.Pods, func(p Pod) cty.Value {
		return p.Port.with(map[string]cty.Value{
			"hypervisor": cty.StringVal(p.Hypervisor), "address": cty.StringVal(p.Address.String()), "leaving": texts(p.Leaving),
			"replicas": cty.TupleVal(lists.Map(p.Replicas, func(r Pod) cty.Value {
				return r.Port.with(map[string]cty.Value{"hypervisor": cty.StringVal(r.Hypervisor)})
			})),
		})
	}))
}

func (t *Topology) hypervisors() cty.Value {
	return cty.TupleVal(lists.Map(t.Hypervisors, func(h Hypervisor) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"name":       cty.StringVal(h.Name),
			"address":    cty.StringVal(h.Address),
			"index":      number(int64(h.Index)),
			"vars":       cty.ObjectVal(h.Vars),
			"management": h.Management.with(nil),
		})
	}))
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
	return cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal(r.ID), "begun": cty.StringVal(r.Begun), "recreate": texts(r.Recreate), "machines": texts(r.Machines),
		"there": named(r.There), "destroy": texts(r.Destroy),
	})
}

func texts(names []string) cty.Value {
	if len(names) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	return cty.ListVal(lists.Map(names, cty.StringVal))
}

// named returns an object of texts.
func named(texts map[string]string) cty.Value {
	all := map[string]cty.Value{}
	for name, text := range texts {
		all[name] = cty.StringVal(text)
	}
	return cty.ObjectVal(all)
}
