package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/event"
	"kinit/engine/lists"
)

func title(t *event.Topology) string {
	return "Topology of the cluster " + t.Cluster
}

// summary counts what the cluster has.
func summary(t *event.Topology) string {
	var parts []string
	for _, pool := range t.Pools {
		n := 0
		for _, node := range t.Nodes {
			if node.Pool == pool {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, pool+" ×"+strconv.Itoa(n))
		}
	}
	return strings.Join(append(parts, counted(len(t.Hypervisors), "hypervisor")), " · ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// describe tells in sentences what the picture shows.
func describe(t *event.Topology) string {
	out := []string{fmt.Sprintf("The cluster %s has %s on %s.", t.Cluster, counted(len(t.Nodes), "node"), counted(len(t.Hypervisors), "hypervisor"))}
	for _, h := range t.Hypervisors {
		var parts []string
		for _, p := range t.Pods {
			if p.Hypervisor == h.Name {
				parts = append(parts, podWords(p))
			}
		}
		for _, n := range t.Nodes {
			if n.Hypervisor == h.Name {
				parts = append(parts, nodeWords(n))
			}
		}
		if len(parts) == 0 {
			parts = []string{"no node"}
		}
		out = append(out, fmt.Sprintf("Hypervisor %s has %s.", h.Name, strings.Join(parts, "; ")))
	}
	if machines := existing(t); len(machines) > 0 {
		out = append(out, "Existing machines: "+strings.Join(lists.Map(machines, nodeWords), "; ")+".")
	}
	if o := t.Overlay; o != nil {
		out = append(out, fmt.Sprintf("The logical switch %s with the network %s connects them through %s tunnels. The logical router %s is its gateway %s.", o.Switch, t.Network, o.Tunnels, o.Router, t.Gateway))
	}
	return strings.Join(out, " ")
}

func podWords(p event.Pod) string {
	text := "the pod " + p.Name
	if p.IP != "" {
		text += " at " + p.IP
	}
	if len(p.Services) > 0 {
		text += " with " + strings.Join(lists.Map(p.Services, func(s event.Service) string { return s.Title }), ", ")
	}
	if len(p.Ports) > 0 {
		text += ", published ports " + strings.Join(lists.Map(p.Ports, portWords), ", ")
	}
	return text
}

func nodeWords(n event.Node) string {
	return strings.Join(slices.DeleteFunc([]string{n.Name, n.Pool, n.Driver, n.OS, n.IP}, func(s string) bool { return s == "" }), ", ")
}

// portWords is a port of the hypervisor, and that of the pod if it is another one.
func portWords(p event.PortPair) string {
	if p.Outside == p.Inside {
		return strconv.Itoa(p.Outside)
	}
	return strconv.Itoa(p.Outside) + "→" + strconv.Itoa(p.Inside)
}

// existing lists the nodes that are on no hypervisor.
func existing(t *event.Topology) []event.Node {
	return slices.DeleteFunc(slices.Clone(t.Nodes), func(n event.Node) bool { return n.Hypervisor != "" })
}
