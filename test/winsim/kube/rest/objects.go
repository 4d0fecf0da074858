package rest

// Metadata is what objects have in common.
type Metadata struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	OwnerReferences   []OwnerReference  `json:"ownerReferences,omitempty"`
	CreationTimestamp string            `json:"creationTimestamp,omitempty"`
}

// OwnerReference is what an object goes with.
type OwnerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

// ConfigMap is a ConfigMap.
type ConfigMap struct {
	Metadata Metadata          `json:"metadata"`
	Data     map[string]string `json:"data"`
}

// Node is a Node.
type Node struct {
	APIVersion string     `json:"apiVersion,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Metadata   Metadata   `json:"metadata"`
	Spec       NodeSpec   `json:"spec,omitzero"`
	Status     NodeStatus `json:"status,omitzero"`
}

// NodeSpec is what is wanted of a node.
type NodeSpec struct {
	PodCIDR string  `json:"podCIDR,omitempty"`
	Taints  []Taint `json:"taints,omitempty"`
}

// NodeStatus is what a node says of itself.
type NodeStatus struct {
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Conditions  []Condition       `json:"conditions,omitempty"`
	Addresses   []NodeAddress     `json:"addresses,omitempty"`
	Endpoints   *DaemonEndpoints  `json:"daemonEndpoints,omitempty"`
	Info        *NodeInfo         `json:"nodeInfo,omitempty"`
}

// Condition is one thing that a node is, or is not.
type Condition struct {
	Type       string `json:"type"`
	Status     string `json:"status"`
	Heartbeat  string `json:"lastHeartbeatTime,omitempty"`
	Transition string `json:"lastTransitionTime,omitempty"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
}

// NodeAddress is how a node is reached.
type NodeAddress struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

// DaemonEndpoints is where the kubelet listens.
type DaemonEndpoints struct {
	Kubelet struct {
		Port int `json:"Port"`
	} `json:"kubeletEndpoint"`
}

// NodeInfo is what a node runs.
type NodeInfo struct {
	MachineID        string `json:"machineID"`
	SystemUUID       string `json:"systemUUID"`
	BootID           string `json:"bootID"`
	KernelVersion    string `json:"kernelVersion"`
	OSImage          string `json:"osImage"`
	ContainerRuntime string `json:"containerRuntimeVersion"`
	KubeletVersion   string `json:"kubeletVersion"`
	KubeProxyVersion string `json:"kubeProxyVersion"`
	OperatingSystem  string `json:"operatingSystem"`
	Architecture     string `json:"architecture"`
}

// NodesPath is where nodes are.
const NodesPath = "/api/v1/nodes"

// Taint keeps pods off a node.
type Taint struct {
	Key    string `yaml:"key" json:"key"`
	Value  string `yaml:"value" json:"value,omitempty"`
	Effect string `yaml:"effect" json:"effect"`
}

// String is the taint as flags have it.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}
