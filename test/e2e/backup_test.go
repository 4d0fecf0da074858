//go:build life

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// backedUp is the cluster that is lost, as the restore names it: its controllers are on both hypervisors.
var backedUp = []string{"k8s-podman-3-1-2", "--hosts", hosts}

// TestLifeBackupAndRestore loses all controllers of a cluster whose compute node lives, and restores them
// from a backup. The first restore is killed in the middle.
func TestLifeBackupAndRestore(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	run := slices.Concat([]string{"run"}, backedUp)
	k.must(t, run...)
	api := newAPI(t, k, backedUp)
	work := startWork(t, api)

	folder := t.TempDir()
	file, key := filepath.Join(folder, "k8s.backup"), filepath.Join(folder, "age.key")
	public := keygen(t, k, key)
	backup := slices.Concat([]string{"backup"}, backedUp, []string{"--out", file, "--recipient", public})
	restore := slices.Concat([]string{"restore", backedUp[0], file}, backedUp[1:], []string{"--identity", key})

	step(t, "a backup is encrypted, private, and replaces nothing", func(t *testing.T) {
		api.create(t, "before")
		k.must(t, backup...)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup has %v, %v, want mode 0600", info.Mode(), err)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(text), "age-encryption.org/v1\n") || strings.Contains(string(text), "PRIVATE KEY") {
			t.Errorf("the backup is not encrypted: %v", err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
			t.Errorf("beside the backup and the key there is something: %v, %v", left, err)
		}
		k.call(t, backup...).refuses(t, 1, file+" exists")
		api.create(t, "after")
	})

	step(t, "a cluster that is there is not overwritten, and another one is not restored", func(t *testing.T) {
		k.call(t, restore...).refuses(t, 3, "These controllers are there", "--yes-destroy controller-01 --yes-destroy controller-02 --yes-destroy controller-03")
		other := slices.Concat(restore[:1], []string{"k3s-podman-1-1-1", file}, restore[3:])
		if r := k.call(t, other...); r.code == 0 {
			t.Errorf("a backup of k8s-podman was restored as k3s-podman:\n%s", r.stdout)
		}
	})

	step(t, "all controllers are lost and come back; a restore that was killed goes on, and no other run makes an empty cluster", func(t *testing.T) {
		for node, hypervisor := range work.controllers {
			on(t, hypervisor, "podman rm --force --volumes --time 0 "+node)
		}
		k.until(t, started("task.kubeadm_init.first"), kill, restore...)
		k.call(t, run...).refuses(t, 3, "has begun and has not ended")
		k.must(t, restore...)
		there := newAPI(t, k, backedUp).get(t, "configmaps", "--namespace", "default", "--output", "name")
		if !strings.Contains(there, "configmap/before\n") || strings.Contains(there, "configmap/after\n") {
			t.Errorf("the cluster has\n%s", there)
		}
		newAPI(t, k, backedUp).await(t, "k8s-podman-compute-01", "k8s-podman-controller-01", "k8s-podman-controller-02", "k8s-podman-controller-03")
	})

	step(t, "the workload was never stopped", func(t *testing.T) {
		if now := work.process(t); now != work.started {
			t.Errorf("its process was %q and is %q", work.started, now)
		}
	})

	step(t, "the second run changes nothing, clean-up leaves nothing", func(t *testing.T) {
		unchanged(t, k, run)
		removed(t, k, run)
		asBefore(t, before)
	})
}

// workload is a process of a pod on the compute node.
type workload struct {
	hypervisor  string            // of the compute node
	controllers map[string]string // the hypervisor of each controller
	started     string            // the process and when it has started
}

// startWork starts a pod with a process that is found by its name.
func startWork(t *testing.T, api *api) workload {
	t.Helper()
	image := strings.TrimSpace(on(t, "nyctea", "podman exec k8s-podman-controller-01 kubeadm config images list --config /etc/kubernetes/kinit-init.yaml 2>/dev/null | grep /etcd: || true"))
	if image == "" {
		image = strings.TrimSpace(on(t, "tyto", "podman exec k8s-podman-controller-01 kubeadm config images list --config /etc/kubernetes/kinit-init.yaml 2>/dev/null | grep /etcd:"))
	}
	cmd := api.command(t.Context(), "create", "--filename", "-")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "work", "namespace": "default"},
		"spec": {"selector": {"matchLabels": {"app": "work"}}, "template": {"metadata": {"labels": {"app": "work"}},
		"spec": {"containers": [{"name": "work", "image": "IMAGE", "command": ["etcd", "--name", "work-of-the-test"]}]}}}}`, "IMAGE", image))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("create the workload: %v\n%s", err, out)
	}
	w := workload{controllers: map[string]string{}}
	for _, h := range strings.Split(hosts, ",") {
		for _, node := range strings.Fields(on(t, h, "podman ps --format '{{.Names}}'")) {
			if strings.HasPrefix(node, "k8s-podman-controller-") {
				w.controllers[node] = h
			}
			if node == "k8s-podman-compute-01" {
				w.hypervisor = h
			}
		}
	}
	for deadline := time.Now().Add(apiPatience); w.started == "" && time.Now().Before(deadline); time.Sleep(time.Second) {
		w.started = w.process(t)
	}
	if w.started == "" || len(w.controllers) != 3 {
		t.Fatalf("the process of the workload is %q, and the controllers are %v", w.started, w.controllers)
	}
	return w
}

// process returns the number of the workload's process on its hypervisor, and the time at which it has
// started.
func (w workload) process(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(on(t, w.hypervisor, "for p in $(pgrep -f 'etcd --name work-of-the-tes[t]'); do echo $p $(cut -d ' ' -f 22 /proc/$p/stat); done"))
}

// create makes an object.
func (a *api) create(t *testing.T, name string) {
	t.Helper()
	if out, err := a.command(t.Context(), "create", "configmap", name, "--namespace", "default").CombinedOutput(); err != nil {
		t.Fatalf("create %s: %v\n%s", name, err, out)
	}
}
