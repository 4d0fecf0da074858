package kubectldrain_test

import (
	"fmt"
	"os"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubectl_drain"
	"kinit/test/kube"
)

// cluster is an API server without any controller or kubelet: pods with a grace period of 0 go at
// once, and the state of nodes and budgets is what the test writes.
type cluster struct {
	*kube.Server
	t *testing.T
}

// node makes a node with the status of its condition Ready.
func (c cluster) node(name, ready string) {
	c.t.Helper()
	c.Do(c.t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": %q}}`, name), "create", "--filename", "-")
	c.Do(c.t, "", "patch", "node", name, "--subresource", "status", "--patch",
		fmt.Sprintf(`{"status": {"conditions": [{"type": "Ready", "status": %q, "message": "Kubelet stopped posting node status."}]}}`, ready))
}

// pod makes a pod on a node; with a controller it has an owner that there is not.
func (c cluster) pod(name, node, controller string) {
	c.t.Helper()
	owners := "[]"
	if controller != "" {
		owners = fmt.Sprintf(`[{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": %q, "uid": "1", "controller": true}]`, controller)
	}
	c.Do(c.t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "labels": {"app": "page"}, "ownerReferences": %s},
		"spec": {"nodeName": %q, "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i"}]}}`, name, owners, node), "create", "--filename", "-")
	c.Do(c.t, "", "patch", "pod", name, "--subresource", "status", "--patch", `{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`)
}

func (c cluster) task(node string, change func(*kubectldrain.Task)) *kubectldrain.Task {
	return moduletest.Make(kubectldrain.Kind(), func(made *kubectldrain.Task) {
		made.Node, made.Kubeconfig, made.Within = node, c.Kubeconfig, "5s"
	}, change)
}

func TestARealNodeIsDrained(t *testing.T) {
	c := cluster{kube.NewServer(t), t}
	t.Setenv("PATH", c.Folder+":"+os.Getenv("PATH"))
	h := moduletest.LocalHost(t, "k8s")
	destroy := func(t *kubectldrain.Task) { t.Destroy = true }
	c.node("n1", "True")
	c.node("n2", "Unknown")

	moduletest.WantTexts(t, c.task("n0", nil), h)
	c.pod("page-1", "n1", "page")
	moduletest.WantTexts(t, c.task("n1", nil), h, "cordon n1", "drain n1: default/page-1")
	moduletest.WantTexts(t, c.task("n1", func(t *kubectldrain.Task) { t.LookOnly = true }), h)

	// A pod without a controller is lost with the node, and only with consent.
	c.pod("alone", "n1", "")
	want := "data would be lost with n1:\nthe pod default/alone belongs to no controller that would recreate it"
	for _, lookOnly := range []bool{false, true} {
		if got := moduletest.Planned(t.Context(), c.task("n1", func(t *kubectldrain.Task) { t.LookOnly = lookOnly }), h); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	moduletest.WantTexts(t, c.task("n1", destroy), h, "cordon n1", "drain n1: default/alone, default/page-1")
	c.Do(c.t, "", "delete", "pod", "alone", "--wait=false")

	// A budget that lets no pod go is named, and kept even by who destroys.
	c.Do(c.t, `{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "always"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "page"}}}}`, "create", "--filename", "-")
	c.Do(c.t, "", "patch", "poddisruptionbudget", "always", "--subresource", "status", "--type", "merge", "--patch",
		`{"status": {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}}`)
	want = "pods of n1 are still there after 5s:\ndefault/page-1: the disruption budget always lets none of its pods go\nThe node gets no more pods. Let the pods move, and run again"
	for _, change := range []func(*kubectldrain.Task){nil, destroy} {
		if got := moduletest.Apply(t, c.task("n1", change), h); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	c.Do(c.t, "", "delete", "poddisruptionbudget", "always")
	moduletest.WantTexts(t, c.task("n1", nil), h, "drain n1: default/page-1")
	moduletest.Settle(t, c.task("n1", nil), h)
	out, err := c.Kubectl(t.Context(), "get", "pods", "--output", "name").Output()
	if err != nil || string(out) != "" {
		t.Errorf("there are still %s, %v", out, err)
	}

	// Pods of a node that does not answer stay until the node is deleted.
	c.pod("page-2", "n2", "page")
	want = "n2 does not answer (Ready is Unknown: Kubelet stopped posting node status.), so its 1 pod cannot move away"
	if got := moduletest.Planned(t.Context(), c.task("n2", nil), h); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := moduletest.Settle(t, c.task("n2", destroy), h); len(got) != 1 || got[0] != "cordon n2" {
		t.Errorf("steps %q", got)
	}
}

func TestANodeThatIsLostDuringItsDrainIsNotWaitedFor(t *testing.T) {
	c := cluster{kube.NewServer(t), t}
	t.Setenv("PATH", c.Folder+":"+os.Getenv("PATH"))
	h := moduletest.LocalHost(t, "k8s")
	c.node("n1", "True")
	// It never ends, as no kubelet is there.
	c.Do(c.t, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "page-1", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "page", "uid": "1", "controller": true}]},
		"spec": {"nodeName": "n1", "terminationGracePeriodSeconds": 600, "containers": [{"name": "c", "image": "i"}]}}`, "create", "--filename", "-")
	c.Do(c.t, "", "patch", "pod", "page-1", "--subresource", "status", "--patch", `{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`)
	task := c.task("n1", func(t *kubectldrain.Task) { t.Destroy, t.Within = true, "10m" })
	moduletest.WantTexts(t, task, h, "cordon n1", "drain n1: default/page-1")
	steps := moduletest.Steps(t, task, h)
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	c.Do(c.t, "", "patch", "node", "n1", "--subresource", "status", "--patch", `{"status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}]}}`)
	if err := steps[1].Do(t.Context(), h); err != nil {
		t.Error(err)
	}
	moduletest.WantTexts(t, task, h)
}

func TestARealNodeIsDrainedForAWhileAndGetsPodsAgain(t *testing.T) {
	c := cluster{kube.NewServer(t), t}
	t.Setenv("PATH", c.Folder+":"+os.Getenv("PATH"))
	h := moduletest.LocalHost(t, "k8s")
	returns := func(t *kubectldrain.Task) { t.Returns = true }
	uncordon := func(node string) *kubectldrain.UncordonTask {
		made := kubectldrain.UncordonKind().New().(*kubectldrain.UncordonTask)
		made.Node, made.Kubeconfig = node, c.Kubeconfig
		return made
	}
	unschedulable := func(node string) string {
		out, err := c.Kubectl(t.Context(), "get", "node", node, "--output", "jsonpath={.spec.unschedulable} {.metadata.annotations}").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	c.node("n1", "True")
	c.node("n2", "True")
	c.pod("page-1", "n1", "page")

	// A node that was not drained is left alone.
	moduletest.WantTexts(t, uncordon("n0"), h)
	moduletest.WantTexts(t, uncordon("n1"), h)

	// What is on its disks comes back with the node, and a pod without a controller does not.
	c.Do(c.t, `{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/pv"},
		"claimRef": {"namespace": "default", "name": "db"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}]}}}}`, "create", "--filename", "-")
	c.Do(c.t, "", "label", "node", "n1", "kubernetes.io/hostname=n1")
	if got, want := moduletest.Planned(t.Context(), c.task("n1", nil), h), "data would be lost with n1:\nthe volume pv of the claim default/db is on the node"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	moduletest.WantTexts(t, c.task("n1", returns), h, "cordon n1", "drain n1: default/page-1")
	c.pod("alone", "n1", "")
	if got, want := moduletest.Planned(t.Context(), c.task("n1", returns), h), "data would be lost with n1:\nthe pod default/alone belongs to no controller that would recreate it"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	c.Do(c.t, "", "delete", "pod", "alone", "--wait=false")
	moduletest.Settle(t, c.task("n1", returns), h)
	if got, want := unschedulable("n1"), `true {"kinit/drained":"schedulable"}`; got != want {
		t.Errorf("drained: %s, want %s", got, want)
	}
	moduletest.WantTexts(t, uncordon("n1"), h, "uncordon n1")
	moduletest.Settle(t, uncordon("n1"), h)
	if got := unschedulable("n1"); got != " " {
		t.Errorf("uncordoned: %s", got)
	}

	// A node that somebody has cordoned before stays so.
	c.Do(c.t, "", "cordon", "n2")
	moduletest.WantTexts(t, c.task("n2", returns), h, "note that n2 is cordoned already")
	moduletest.Settle(t, c.task("n2", returns), h)
	moduletest.WantTexts(t, uncordon("n2"), h, "leave n2 cordoned, as it was")
	moduletest.Settle(t, uncordon("n2"), h)
	if got := unschedulable("n2"); got != "true " {
		t.Errorf("n2: %s", got)
	}
}

func TestMistakesOfKubectlDrain(t *testing.T) {
	t.Parallel()
	made := kubectldrain.Kind().New().(*kubectldrain.Task)
	made.Node, made.Within = "n1", "0s"
	moduletest.Refused(t, made, `within is "0s", expected a duration such as "10m"`)
}
