package event

// Topology is what a cluster consists of and where its parts are, for drawings.
type Topology struct {
	Cluster     string       `json:"cluster"`
	Domain      string       `json:"domain"`
	Network     string       `json:"network"` // of nodes, services and hypervisors, as address and length
	Gateway     string       `json:"gateway"` // of the network
	Hypervisors []Hypervisor `json:"hypervisors,omitempty"`
	Pools       []string     `json:"pools,omitempty"` // in the order of the spec
	Nodes       []Node       `json:"nodes,omitempty"` // by pool, in the order of Pools
	Pods        []Pod        `json:"pods,omitempty"`  // and their replicas
	Overlay     *Overlay     `json:"overlay,omitempty"`
}

// Hypervisor is a host that runs parts of a cluster.
type Hypervisor struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"`
	IP      string `json:"ip,omitempty"` // its own on the overlay; empty without an overlay
}

// Node is a member of a cluster.
type Node struct {
	Name       string `json:"name"`
	Pool       string `json:"pool"`
	Driver     string `json:"driver"`
	OS         string `json:"os"`
	IP         string `json:"ip,omitempty"`
	MAC        string `json:"mac,omitempty"`
	Hypervisor string `json:"hypervisor,omitempty"` // empty for an existing machine
	Overlay    bool   `json:"overlay,omitempty"`    // it has a port on the overlay
}

// Pod is a pod of services, or a replica of one.
type Pod struct {
	Name       string     `json:"name"`
	Hypervisor string     `json:"hypervisor"`
	IP         string     `json:"ip,omitempty"`      // empty without an overlay
	Address    string     `json:"address,omitempty"` // which moves between the replicas; empty without replicas
	Services   []Service  `json:"services,omitempty"`
	Ports      []PortPair `json:"ports,omitempty"`
}

// Service is a container of a pod.
type Service struct {
	Name  string `json:"name"`
	Title string `json:"title"` // what it does, in one or two words
}

// PortPair is a port of a hypervisor that leads to one of a pod.
type PortPair struct {
	Outside int `json:"outside"`
	Inside  int `json:"inside"`
}

// Overlay is the logical network of a cluster across its hypervisors.
type Overlay struct {
	Switch   string `json:"switch"`
	Router   string `json:"router"`
	Tunnels  string `json:"tunnels"`            // their protocol, such as Geneve
	Outside  string `json:"outside"`            // the address behind which the router hides the network
	Networks []CIDR `json:"networks,omitempty"` // that it carries too
}

// CIDR is a network with its name.
type CIDR struct {
	Name string `json:"name"`
	CIDR string `json:"cidr"`
}
