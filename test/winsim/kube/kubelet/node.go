package kubelet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/kube/containerd"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
)

// register makes the node, or takes over the one that is there.
func (k *kubelet) register(ctx context.Context) error {
	want := rest.Node{APIVersion: "v1", Kind: "Node", Metadata: rest.Metadata{
		Name: k.name, Labels: k.labels(),
		Annotations: map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
	}}
	taints, err := parseTaints(k.flags.Get("register-with-taints", ""))
	if err != nil {
		return err
	}
	want.Spec.Taints = taints
	want.Status = k.status(nil)
	var made rest.Node
	err = k.api.Post(ctx, rest.NodesPath, want, &made)
	if rest.IsReason(err, "AlreadyExists") {
		// Labels that are the kubelet's own are set again; taints are left.
		labels := rest.Node{Metadata: rest.Metadata{Labels: want.Metadata.Labels}}
		if err := k.api.Patch(ctx, rest.NodesPath+"/"+k.name, labels); err != nil {
			return k.note("update labels", err)
		}
		err = k.api.Get(ctx, rest.NodesPath+"/"+k.name, &made)
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

func parseTaints(text string) ([]rest.Taint, error) {
	var all []rest.Taint
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		left, effect, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("invalid taint spec: %s", part)
		}
		key, value, _ := strings.Cut(left, "=")
		all = append(all, rest.Taint{Key: key, Value: value, Effect: effect})
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
	for pair := range strings.SplitSeq(k.flags.Get("node-labels", ""), ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			labels[name] = value
		}
	}
	return labels
}

// status is the node's status now. old are the conditions that it has, whose times of
// transition are kept.
func (k *kubelet) status(old []rest.Condition) rest.NodeStatus {
	m := k.p.Machine
	s := rest.NodeStatus{
		Capacity: map[string]string{
			"cpu": "4", "memory": "8388148Ki", "pods": fmt.Sprint(k.config.MaxPods), "ephemeral-storage": "61Gi",
		},
		Info: k.info(), Endpoints: &rest.DaemonEndpoints{}, Conditions: k.conditions(old),
	}
	s.Allocatable = s.Capacity
	s.Endpoints.Kubelet.Port = Port
	if a, ok := m.Network.Primary(); ok {
		address := k.flags.Get("node-ip", a.Address.Addr().String())
		s.Addresses = []rest.NodeAddress{{Type: "InternalIP", Address: address}, {Type: "Hostname", Address: k.name}}
	}
	return s
}

func (k *kubelet) info() *rest.NodeInfo {
	m := k.p.Machine
	r := m.Release()
	info := &rest.NodeInfo{
		MachineID: m.HostName(), SystemUUID: systemUUID(m), BootID: fmt.Sprint(m.Boots()),
		KernelVersion:  fmt.Sprintf("10.0.%d.%d", r.Build, r.Revision),
		OSImage:        strings.TrimSuffix(r.Name, " Evaluation") + " (simulated by kinit)",
		KubeletVersion: k.p.Version, OperatingSystem: "windows", Architecture: "amd64",
	}
	if container, err := containerd.Connect(m, k.config.RuntimeEndpoint); err == nil {
		info.ContainerRuntime = "containerd://" + strings.TrimPrefix(container.Version, "v")
	}
	return info
}

// systemUUID is the same for a machine all its life.
func systemUUID(m *machine.Machine) string {
	return fmt.Sprintf("%08X-0000-4000-8000-%012X", uint32(m.Installed().Unix()), m.Installed().UnixNano()&0xffffffffffff)
}

// conditions are the node's conditions now.
func (k *kubelet) conditions(old []rest.Condition) []rest.Condition {
	now := k.p.Machine.Now().UTC().Format(time.RFC3339)
	ready := rest.Condition{Type: "Ready", Status: "True", Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	if err := k.fit(); err != nil {
		ready.Status, ready.Reason, ready.Message = "False", "KubeletNotReady", err.Error()
	}
	all := []rest.Condition{
		{Type: "MemoryPressure", Status: "False", Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: "DiskPressure", Status: "False", Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: "PIDPressure", Status: "False", Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		ready,
	}
	for i := range all {
		all[i].Heartbeat, all[i].Transition = now, now
		j := slices.IndexFunc(old, func(c rest.Condition) bool { return c.Type == all[i].Type && c.Status == all[i].Status })
		if j >= 0 {
			all[i].Transition = old[j].Transition
		}
	}
	return all
}

// fit tells why the node is not ready, or nothing.
func (k *kubelet) fit() error {
	container, err := containerd.Connect(k.p.Machine, k.config.RuntimeEndpoint)
	if err != nil {
		return errors.New("container runtime is down")
	}
	if err := container.Ready(); err != nil {
		return fmt.Errorf("container runtime not ready: RuntimeReady=false reason:RuntimeNotReady message:%w", err)
	}
	return container.Network()
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
	var now rest.Node
	if err := k.api.Get(ctx, rest.NodesPath+"/"+k.name, &now); err != nil {
		return err
	}
	change := rest.Node{Metadata: rest.Metadata{Name: k.name}, Status: k.status(now.Status.Conditions)}
	if err := k.api.Patch(ctx, rest.NodesPath+"/"+k.name+"/status", change); err != nil {
		return err
	}
	k.said, k.posted = summary, time.Now()
	return nil
}

// lease is a Lease.
type lease struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   rest.Metadata `json:"metadata"`
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
	err := k.api.Get(ctx, leasesPath+"/"+k.name, &l)
	missing := rest.IsReason(err, "NotFound")
	if err != nil && !missing {
		return err
	}
	l.APIVersion, l.Kind = "coordination.k8s.io/v1", "Lease"
	l.Spec.Holder, l.Spec.Duration = k.name, k.config.LeaseSeconds
	l.Spec.Renewed = k.p.Machine.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	if !missing {
		return k.api.Put(ctx, leasesPath+"/"+k.name, l, nil)
	}
	l.Metadata = rest.Metadata{Name: k.name, Namespace: "kube-node-lease", OwnerReferences: []rest.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: k.name, UID: k.uid},
	}}
	return k.api.Post(ctx, leasesPath, l, nil)
}
