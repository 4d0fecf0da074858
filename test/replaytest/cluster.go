package replaytest

import "kinit/engine/event"

// Cluster is a cluster of one controller and two compute nodes, one of which is an existing machine.
func Cluster() *event.Topology {
	return &event.Topology{
		Cluster: "shop", Domain: "shop.kinit.local", Network: "10.0.0.0/24", Gateway: "10.0.0.254",
		Hypervisors: []event.Hypervisor{{Name: "nyctea", Address: "192.0.2.10", IP: "10.0.0.252"}, {Name: "tyto", Address: "192.0.2.11", IP: "10.0.0.251"}},
		Pools:       []string{"controller", "compute", "metal"},
		Nodes: []event.Node{
			{Name: "shop-controller-01", Pool: "controller", Driver: "podman", OS: "debian-12", IP: "10.0.0.1", MAC: "52:54:00:00:00:01", Hypervisor: "nyctea", Overlay: true},
			{Name: "shop-compute-01", Pool: "compute", Driver: "podman", OS: "debian-12", IP: "10.0.0.2", MAC: "52:54:00:00:00:02", Hypervisor: "tyto", Overlay: true},
			{Name: "strix", Pool: "metal", Driver: "host", OS: "windows-2022", IP: "192.0.2.21"},
		},
		Pods: []event.Pod{{
			Name: "shop-pod-01", Hypervisor: "nyctea", IP: "10.0.0.253",
			Services: []event.Service{{Name: "haproxy", Title: "load balancer"}, {Name: "bind9", Title: "DNS"}},
			Ports:    []event.PortPair{{Outside: 6443, Inside: 6443}, {Outside: 8080, Inside: 80}},
		}},
		Overlay: &event.Overlay{Switch: "kinit-shop", Router: "kinit-shop", Tunnels: "Geneve", Outside: "172.16.0.7", Networks: []event.CIDR{{Name: "pods", CIDR: "10.244.0.0/16"}}},
	}
}
