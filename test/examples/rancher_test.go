package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/specs"
)

// The settings are without the token, which is secret, and without names that hosts say.
func TestServersAndAgentsHaveTheirSettings(t *testing.T) {
	t.Parallel()
	common := func(name, address string) string {
		return `"advertise-address":"` + address + `","cluster-cidr":"10.244.0.0/16",` + name
	}
	for spec, tc := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"k3s-podman-2-1-1": {map[string]string{"component_args": `{ apiserver = { v = "4" }, kubelet = { max-pods = "50" } }`}, []string{
			"k3s-podman-controller-01 {" + common(`"cluster-init":true,"disable":["traefik","servicelb"],"flannel-backend":"vxlan","kube-apiserver-arg":["v=4"],"kubelet-arg":["max-pods=50"],"node-ip":"10.0.0.1","node-name":"k3s-podman-controller-01","service-cidr":"10.96.0.0/12","write-kubeconfig-mode":"0600"`, "10.0.0.1") + "}",
			"k3s-podman-controller-02 {" + common(`"disable":["traefik","servicelb"],"flannel-backend":"vxlan","kube-apiserver-arg":["v=4"],"kubelet-arg":["max-pods=50"],"node-ip":"10.0.0.2","node-name":"k3s-podman-controller-02","server":"https://api.k3s-podman.kinit.local:6443","service-cidr":"10.96.0.0/12","write-kubeconfig-mode":"0600"`, "10.0.0.2") + "}",
			`k3s-podman-compute-01 {"kubelet-arg":["max-pods=50"],"node-ip":"10.0.0.3","node-name":"k3s-podman-compute-01","server":"https://api.k3s-podman.kinit.local:6443"}`,
		}},
		"rke2-libvirt-1-1-1": {nil, []string{
			"rke2-libvirt-controller-01 {" + common(`"cni":"canal","disable":["rke2-ingress-nginx"],"node-ip":"10.0.0.1","node-name":"rke2-libvirt-controller-01","service-cidr":"10.96.0.0/12","write-kubeconfig-mode":"0600"`, "10.0.0.1") + "}",
			`rke2-libvirt-compute-01 {"node-ip":"10.0.0.2","node-name":"rke2-libvirt-compute-01","server":"https://10.0.0.1:9345"}`,
		}},
	} {
		o := options(t, spec)
		o.Hosts = []string{"a"}
		for name, value := range tc.vars {
			o.Vars[name] = value
		}
		got := evaluate(t, o, `concat([for name, s in local.server_settings : "${name} ${jsonencode(s)}"], [for name, s in local.agent_settings : "${name} ${jsonencode(s)}"])`)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

// A machine on the overlay has further networks.
func TestPodsOfK3sOnAMachineTakeTheOverlay(t *testing.T) {
	t.Parallel()
	o := options(t, "k3s-podman-1-1-1")
	o.Hosts = []string{"a"}
	o.Vars["compute_hosts"], o.Vars["compute_overlay"] = `["b"]`, "true"
	got := evaluate(t, o, `[local.agent_settings["b"].flannel-iface, local.machine_device, jsonencode(keys(local.rancher_nodes))]`)
	if got[0] == "" || got[0] != got[1] || got[2] != `["b"]` {
		t.Errorf("the device of flannel is %q, want %q; nodes with settings of their own: %s", got[0], got[1], got[2])
	}
}

func TestReleasesOfK3sAndRke2AreWhereTheirProjectsPutThem(t *testing.T) {
	t.Parallel()
	const expression = `[for name in ["program", "images"] : "${local.rancher_files[name].url} ${local.rancher_files[name].sha256} ${local.rancher_files[name].sha256_url}"]`
	const k3s, rke2 = "https://github.com/k3s-io/k3s/releases/download/v1.34.4+k3s1/", "https://github.com/rancher/rke2/releases/download/v1.34.4+rke2r1/"
	for name, tc := range map[string]struct {
		spec string
		vars map[string]string
		want []string
	}{
		"k3s":  {"k3s-podman-1-1-1", nil, []string{k3s + "k3s  " + k3s + "sha256sum-amd64.txt", k3s + "k3s-airgap-images-amd64.tar.zst  " + k3s + "sha256sum-amd64.txt"}},
		"rke2": {"rke2-podman-1-1-1", nil, []string{rke2 + "rke2.linux-amd64.tar.gz  " + rke2 + "sha256sum-amd64.txt", rke2 + "rke2-images.linux-amd64.tar.zst  " + rke2 + "sha256sum-amd64.txt"}},
		"another version on a mirror": {"k3s-podman-1-1-1", map[string]string{"k3s_url": "http://mirror.example/k3s/", "kubernetes_version": "v1.35.0+k3s2"}, []string{
			"http://mirror.example/k3s/v1.35.0+k3s2/k3s  http://mirror.example/k3s/v1.35.0+k3s2/sha256sum-amd64.txt",
			"http://mirror.example/k3s/v1.35.0+k3s2/k3s-airgap-images-amd64.tar.zst  http://mirror.example/k3s/v1.35.0+k3s2/sha256sum-amd64.txt",
		}},
	} {
		o := options(t, tc.spec)
		o.Hosts, o.VarFiles = []string{"a"}, []string{unpinned(t)}
		for key, value := range tc.vars {
			o.Vars[key] = value
		}
		if diff := cmp.Diff(tc.want, evaluate(t, o, expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	o, list := pinned(t, "rke2-podman-1-1-1")
	o.Vars["rke2_url"] = "https://mirror.example"
	want := []string{"https://mirror.example/v1.34.4+rke2r1/rke2.linux-amd64.tar.gz " + strings.TrimPrefix(list["rke2"].Digest, "sha256:") + " "}
	if diff := cmp.Diff(want, evaluate(t, o, expression)[:1]); diff != "" {
		t.Errorf("a digest at a mirror (-want +got):\n%s", diff)
	}
}

// etcd takes in one member at a time, and agents come when all are there.
func TestServersJoinOneAfterTheOther(t *testing.T) {
	t.Parallel()
	o := options(t, "rke2-podman-3-2-1")
	o.Hosts, o.Vars["allow_untested"] = []string{"a"}, "true"
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	tasks := map[string]engine.GraphTask{}
	for _, task := range graph.Tasks {
		tasks[task.Address] = task
	}
	for _, name := range []string{"01", "02", "03"} {
		unit, wait := tasks[`task.systemd_unit.server["rke2-podman-controller-`+name+`"]`], tasks[`task.wait.server["rke2-podman-controller-`+name+`"]`]
		if unit.Stage != "servers" || wait.Stage != "servers" || !slices.Contains(wait.Needs, unit.Address) {
			t.Errorf("server %s starts in the stage %q, and its wait in %q comes after %v", name, unit.Stage, wait.Stage, wait.Needs)
		}
	}
	// The engine goes through the hosts of such a stage one by one.
	text, err := specs.FS.ReadFile("rancher/stages.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range parse(t, "rancher/stages.hcl", text).Blocks {
		if block.Type == "stage" && block.Labels[0] == "servers" && source(text, block.Body, "serial") != "1" {
			t.Errorf("the stage of servers has serial = %q", source(text, block.Body, "serial"))
		}
	}
	order := map[string][]string{}
	for _, stage := range graph.Stages {
		order[stage.Name] = stage.After
	}
	if agent := tasks[`task.systemd_unit.agent["rke2-podman-compute-01"]`].Stage; agent != "computes" || !slices.Equal(order[agent], []string{"servers"}) {
		t.Errorf("agents are in the stage %q, which comes after %v", agent, order[agent])
	}
}

// A distribution that was never run can be validated, and asks before it runs.
func TestWhatWasNeverRunAsksBeforeItRuns(t *testing.T) {
	t.Parallel()
	o := options(t, "k3s-podman-1-1-1")
	o.Hosts, o.Only, o.StateDir = []string{"localhost"}, []string{"task.assert.untested"}, t.TempDir()
	want := "kinit was never run with Kubernetes v1.34.4+k3s1, nor with another version of this distribution: its playbook is planned and validated by tests alone. Allow it by --var allow_untested=true."
	if err := engine.Run(t.Context(), o).Diagnostics.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	o.Vars["allow_untested"] = "true"
	if err := engine.Run(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Errorf("allowed, and yet: %v", err)
	}
}

func TestScriptsByWhichMachinesLeaveAreScripts(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"k8s-podman-1-1-1": "kubeadm reset", "k3s-podman-1-1-1": "for unit in k3s-agent.service k3s.service; do", "rke2-podman-1-1-1": "/var/lib/rancher/rke2/data/*) link=${link%/exe} && below",
	} {
		o := options(t, spec)
		o.Hosts, o.Vars["container_runtime"] = []string{"a"}, "upstream"
		if !strings.HasPrefix(spec, "k8s") {
			delete(o.Vars, "container_runtime")
		}
		text := strings.ReplaceAll(evaluate(t, o, "[local.leave_script]")[0], "$${", "${") // as HCL writes it
		if !strings.Contains(text, want) {
			t.Errorf("%s: the script does not have %q:\n%s", spec, want, text)
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", text).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", spec, err, out)
		}
	}
}

// The script with a folder in place of the machine's own.
func TestMachineThatIsANodeOfAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	text, err := specs.FS.ReadFile("drivers/host/files/taken.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ there, want string }{
		"nothing is there": {"", ""},
		"kubeadm's":        {"etc/kubernetes/kubelet.conf", "this machine is a node of a Kubernetes cluster that kinit did not make (/etc/kubernetes/kubelet.conf)."},
		"k3s'":             {"var/lib/rancher/k3s/server/db", "this machine is a node of a Kubernetes cluster that kinit did not make (/var/lib/rancher/k3s). Run k3s-uninstall.sh"},
		"rke2's":           {"var/lib/rancher/rke2/agent/x", "this machine is a node of a Kubernetes cluster that kinit did not make (/var/lib/rancher/rke2). Run rke2-uninstall.sh"},
		"another cluster":  {"var/lib/kinit/clusters/red/leave.sh", `this machine is a node of the cluster "red".`},
	} {
		root, folder := t.TempDir(), t.TempDir()
		if tc.there != "" {
			put(t, filepath.Join(root, tc.there), "")
		}
		here := strings.NewReplacer("/etc/kubernetes", root+"/etc/kubernetes", "/var/lib/", root+"/var/lib/").Replace(string(text))
		taken := func() string {
			out, err := exec.CommandContext(t.Context(), "sh", "-c", here, "taken", "blue", folder).CombinedOutput()
			if (err != nil) != (len(out) > 0) {
				t.Errorf("%s: %v, %q", name, err, out)
			}
			return strings.ReplaceAll(string(out), root, "")
		}
		if got := taken(); !strings.HasPrefix(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if err := os.WriteFile(filepath.Join(folder, "leave.sh"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := taken(); got != "" && !strings.Contains(tc.there, "red") {
			t.Errorf("%s: the cluster's own machine is refused: %q", name, got)
		}
	}
}
