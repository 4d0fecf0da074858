package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// TopologyOutput is the output of a cluster's playbook with what drawings show besides nodes. An output of
// that name with another structure has no special meaning.
const TopologyOutput = "topology"

// drawn is the form of that output.
type drawn struct {
	Overlay *event.Overlay       `json:"overlay"`
	Pods    map[string]event.Pod `json:"pods"` // by name; only services and ports
}

// Topology plans without connecting to a host and returns what the spec's cluster consists of. The
// cluster is shown as if it were new. A spec without a cluster is an error.
func Topology(ctx context.Context, o Options) (*event.Topology, *Report) {
	o.Offline = true
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	p.close()
	if p.plan == nil {
		return nil, report
	}
	if p.topology == nil {
		report.refuse(diag.Errorf(nil, "No cluster", "The spec %q has no cluster whose topology could be drawn. Without --topology its tasks are drawn.", o.Spec)).Invalid = true
		return nil, report
	}
	return drawing(p.built, p.options.Redactor.Redact), report
}

// drawing returns the parts of the plan's cluster, or nil if it has none.
func drawing(b built, redact func(string) string) *event.Topology {
	t := b.topology
	if t == nil {
		return nil
	}
	more, _ := drawnOutput(b, redact)
	overlay := more.Overlay != nil
	out := &event.Topology{
		Cluster: t.Cluster.Name, Domain: t.Cluster.Domain, Network: t.Cluster.Network.Prefix.String(), Gateway: t.Gateway.String(),
		Pools: lists.Map(t.Cluster.Pools, func(pool topology.Pool) string { return pool.Name }), Overlay: more.Overlay,
	}
	for _, h := range t.Hypervisors {
		shown := event.Hypervisor{Name: h.Name, Address: h.Address}
		if overlay {
			shown.IP = h.Management.IP.String()
		}
		out.Hypervisors = append(out.Hypervisors, shown)
	}
	for _, n := range t.Nodes {
		shown := event.Node{Name: n.Name, Pool: n.Pool, Driver: n.Driver, OS: n.OS, MAC: n.MAC, Hypervisor: n.Hypervisor, Overlay: n.Overlay}
		if n.IP.IsValid() {
			shown.IP = n.IP.String()
		}
		out.Nodes = append(out.Nodes, shown)
	}
	for _, pod := range t.Pods {
		out.Pods = append(out.Pods, drawnPods(pod, more.Pods[pod.Name], overlay)...)
	}
	return out
}

// drawnPods returns a pod and its replicas.
func drawnPods(pod topology.Pod, parts event.Pod, overlay bool) []event.Pod {
	var out []event.Pod
	for _, one := range append([]topology.Pod{pod}, pod.Replicas...) {
		shown := event.Pod{Name: one.Name, Hypervisor: one.Hypervisor, Services: slices.Clone(parts.Services), Ports: slices.Clone(parts.Ports)}
		if overlay {
			shown.IP = one.IP.String()
		}
		if overlay && pod.Address != pod.IP {
			shown.Address = pod.Address.String()
		}
		out = append(out, shown)
	}
	return out
}

// drawnOutput returns the value of the topology output, and whether the playbook has one of that form.
func drawnOutput(b built, redact func(string) string) (drawn, bool) {
	found := b.plan.Output(TopologyOutput)
	if b.topology == nil || found == nil || len(found.Needs) > 0 {
		return drawn{}, false
	}
	value, diags := found.Value(b.values)
	if diags.HasErrors() || value.IsNull() {
		return drawn{}, false
	}
	var out drawn
	decoder := json.NewDecoder(bytes.NewReader([]byte(redact(sensitive.Text(value)))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil {
		return drawn{}, false
	}
	return out, true
}
