package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/machine"
)

// node is a Node.
type node struct {
	APIVersion string     `json:"apiVersion,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Metadata   metadata   `json:"metadata"`
	Spec       nodeSpec   `json:"spec,omitzero"`
	Status     nodeStatus `json:"status,omitzero"`
}

type nodeSpec struct {
	PodCIDR string  `json:"podCIDR,omitempty"`
	Taints  []taint `json:"taints,omitempty"`
}

type nodeStatus struct {
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Conditions  []condition       `json:"conditions,omitempty"`
	Addresses   []nodeAddress     `json:"addresses,omitempty"`
	Endpoints   *daemonEndpoints  `json:"daemonEndpoints,omitempty"`
	Info        *nodeInfo         `json:"nodeInfo,omitempty"`
}

type condition struct {
	Type       string `json:"type"`
	Status     string `json:"status"`
	Heartbeat  string `json:"lastHeartbeatTime,omitempty"`
	Transition string `json:"lastTransitionTime,omitempty"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
}

type nodeAddress struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

type daemonEndpoints struct {
	Kubelet struct {
		Port int `json:"Port"`
	} `json:"kubeletEndpoint"`
}

type nodeInfo struct {
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

// nodesPath is where nodes are.
const nodesPath = "/api/v1/nodes"

// register makes the node, or takes over the one that is there.
func (k *kubelet) register(ctx context.Context) error {
	want := node{APIVersion: "v1", Kind: "Node", Metadata: metadata{
		Name: k.name, Labels: k.labels(),
		Annotations: map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
	}}
	taints, err := parseTaints(k.flags.get("register-with-taints", ""))
	if err != nil {
		return err
	}
	want.Spec.Taints = taints
	want.Status = k.status(nil)
	var made node
	err = k.api.post(ctx, nodesPath, want, &made)
	if isReason(err, "AlreadyExists") {
		// Labels that are the kubelet's own are set again; taints are left.
		labels := node{Metadata: metadata{Labels: want.Metadata.Labels}}
		if err := k.api.patch(ctx, nodesPath+"/"+k.name, labels); err != nil {
			return k.note("update labels", err)
		}
		err = k.api.get(ctx, nodesPath+"/"+k.name, &made)
	}
	if err != nil {
		return k.note("register node", err)
	}
	k.uid = made.Metadata.UID
	return nil
}

func (k *kubelet) note(what string, err error) error {
	k.p.Machine.Log("kubelet: %s %s: %v", what, k.name, err)
	return err
}

func parseTaints(text string) ([]taint, error) {
	var all []taint
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		left, effect, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("invalid taint spec: %s", part)
		}
		key, value, _ := strings.Cut(left, "=")
		all = append(all, taint{Key: key, Value: value, Effect: effect})
	}
	return all, nil
}

func (k *kubelet) labels() map[string]string {
	r := k.p.Machine.Release()
	labels := map[string]string{
		"kubernetes.io/hostname": k.name, "kubernetes.io/os": "windows", "kubernetes.io/arch": "amd64",
		"beta.kubernetes.io/os": "windows", "beta.kubernetes.io/arch": "amd64",
		"node.kubernetes.io/windows-build": fmt.Sprintf("10.0.%d", r.Build),
	}
	for pair := range strings.SplitSeq(k.flags.get("node-labels", ""), ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			labels[name] = value
		}
	}
	return labels
}

// status is the node's status now. old are the conditions that it has, whose times of
// transition are kept.
func (k *kubelet) status(old []condition) nodeStatus {
	m := k.p.Machine
	s := nodeStatus{
		Capacity: map[string]string{
			"cpu": "4", "memory": "8388148Ki", "pods": fmt.Sprint(k.config.MaxPods), "ephemeral-storage": "61Gi",
		},
		Info: k.info(), Endpoints: &daemonEndpoints{}, Conditions: k.conditions(old),
	}
	s.Allocatable = s.Capacity
	s.Endpoints.Kubelet.Port = kubeletPort
	if a, ok := m.Network.Primary(); ok {
		address := k.flags.get("node-ip", a.Address.Addr().String())
		s.Addresses = []nodeAddress{{"InternalIP", address}, {"Hostname", k.name}}
	}
	return s
}

func (k *kubelet) info() *nodeInfo {
	m := k.p.Machine
	r := m.Release()
	info := &nodeInfo{
		MachineID: m.HostName(), SystemUUID: systemUUID(m), BootID: fmt.Sprint(m.Boots()),
		KernelVersion:  fmt.Sprintf("10.0.%d.%d", r.Build, r.Revision),
		OSImage:        strings.TrimSuffix(r.Name, " Evaluation") + " (simulated by kinit)",
		KubeletVersion: k.p.Version, OperatingSystem: "windows", Architecture: "amd64",
	}
	if container, err := connect(m, k.config.RuntimeEndpoint); err == nil {
		info.ContainerRuntime = "containerd://" + strings.TrimPrefix(container.version, "v")
	}
	return info
}

// systemUUID is the same for a machine all its life.
func systemUUID(m *machine.Machine) string {
	return fmt.Sprintf("%08X-0000-4000-8000-%012X", uint32(m.Installed().Unix()), m.Installed().UnixNano()&0xffffffffffff)
}

// conditions are the node's conditions now.
func (k *kubelet) conditions(old []condition) []condition {
	now := k.p.Machine.Now().UTC().Format(time.RFC3339)
	ready := condition{Type: "Ready", Status: "True", Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	if err := k.fit(); err != nil {
		ready.Status, ready.Reason, ready.Message = "False", "KubeletNotReady", err.Error()
	}
	all := []condition{
		{Type: "MemoryPressure", Status: "False", Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: "DiskPressure", Status: "False", Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: "PIDPressure", Status: "False", Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		ready,
	}
	for i := range all {
		all[i].Heartbeat, all[i].Transition = now, now
		j := slices.IndexFunc(old, func(c condition) bool { return c.Type == all[i].Type && c.Status == all[i].Status })
		if j >= 0 {
			all[i].Transition = old[j].Transition
		}
	}
	return all
}

// fit tells why the node is not ready, or nothing.
func (k *kubelet) fit() error {
	container, err := connect(k.p.Machine, k.config.RuntimeEndpoint)
	if err != nil {
		return errors.New("container runtime is down")
	}
	if err := container.ready(); err != nil {
		return fmt.Errorf("container runtime not ready: RuntimeReady=false reason:RuntimeNotReady message:%w", err)
	}
	return container.network()
}

// postStatus posts the status when the conditions have changed, or after some time.
func (k *kubelet) postStatus(ctx context.Context) error {
	summary := ""
	for _, c := range k.conditions(nil) {
		summary += c.Type + c.Status + c.Message + "\n"
	}
	if summary == k.said && time.Since(k.posted) < statusReport {
		return nil
	}
	var now node
	if err := k.api.get(ctx, nodesPath+"/"+k.name, &now); err != nil {
		return err
	}
	change := node{Metadata: metadata{Name: k.name}, Status: k.status(now.Status.Conditions)}
	if err := k.api.patch(ctx, nodesPath+"/"+k.name+"/status", change); err != nil {
		return err
	}
	k.said, k.posted = summary, time.Now()
	return nil
}

// lease is a Lease.
type lease struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       struct {
		Holder   string `json:"holderIdentity"`
		Duration int    `json:"leaseDurationSeconds"`
		Renewed  string `json:"renewTime"`
	} `json:"spec"`
}

// leasesPath is where nodes' leases are.
const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"

// renewLease renews the node's lease, which it makes where there is none.
func (k *kubelet) renewLease(ctx context.Context) error {
	var l lease
	err := k.api.get(ctx, leasesPath+"/"+k.name, &l)
	missing := isReason(err, "NotFound")
	if err != nil && !missing {
		return err
	}
	l.APIVersion, l.Kind = "coordination.k8s.io/v1", "Lease"
	l.Spec.Holder, l.Spec.Duration = k.name, k.config.LeaseSeconds
	l.Spec.Renewed = k.p.Machine.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	if !missing {
		return k.api.put(ctx, leasesPath+"/"+k.name, l, nil)
	}
	l.Metadata = metadata{Name: k.name, Namespace: "kube-node-lease", OwnerReferences: []ownerReference{
		{APIVersion: "v1", Kind: "Node", Name: k.name, UID: k.uid},
	}}
	return k.api.post(ctx, leasesPath, l, nil)
}
