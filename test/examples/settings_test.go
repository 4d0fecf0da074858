package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/specs"
	"kinit/test/kube"
)

// nodeSettings runs node-settings.sh against an API server, as a controller does, and returns
// what it prints.
func nodeSettings(t *testing.T, server *kube.Server, args ...string) (string, error) {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "kubernetes/files/node-settings.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", string(text), "node-settings"}, args)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig, "PATH="+server.Folder+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The taint that kubeadm gives to controllers goes with the last compute node, and comes back
// with the first.
func TestNodesGetTheSettingsThatAreWanted(t *testing.T) {
	t.Parallel()
	server := kube.NewServer(t)
	const kept = "node-role.kubernetes.io/control-plane=:NoSchedule"
	for _, args := range [][]string{
		{"create", "--filename", node(t, "c1")}, {"create", "--filename", node(t, "n1")},
		{"taint", "nodes", "c1", "node-role.kubernetes.io/control-plane:NoSchedule"},
		{"taint", "nodes", "n1", "theirs=1:PreferNoSchedule"},
	} {
		if out, err := server.Kubectl(t.Context(), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
	const show = `go-template={{range .items}}{{.metadata.name}}:{{range $k, $v := .metadata.labels}} {{$k}}={{$v}}{{end}}{{range .spec.taints}}{{if ne .key "node.kubernetes.io/not-ready"}} {{.key}}={{with .value}}{{.}}{{end}}:{{.effect}}{{end}}{{end}}
{{end}}`
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"c1", "", "", kept, "n1", "", "", ""}, "c1: " + kept + "\nn1: theirs=1:PreferNoSchedule\n"},
		{[]string{"c1", "", "", ""}, "c1:\nn1: theirs=1:PreferNoSchedule\n"},
		{[]string{"c1", "tier=gold", "gpu=1:NoSchedule", ""}, "c1: tier=gold gpu=1:NoSchedule\nn1: theirs=1:PreferNoSchedule\n"},
		{[]string{"c1", "", "gpu=2:NoSchedule", kept, "n1", "tier=iron", "", ""},
			"c1: gpu=2:NoSchedule " + kept + "\nn1: tier=iron theirs=1:PreferNoSchedule\n"},
		{[]string{"c1", "", kept, "", "n1", "", "", ""}, "c1: " + kept + "\nn1: theirs=1:PreferNoSchedule\n"},
		{[]string{"c1", "", "", ""}, "c1:\nn1: theirs=1:PreferNoSchedule\n"},
	} {
		if out, err := nodeSettings(t, server, append([]string{"apply"}, step.args...)...); err != nil {
			t.Fatalf("apply %q: %v\n%s", step.args, err, out)
		}
		got, err := server.Kubectl(t.Context(), "get", "nodes", "--output", show).Output()
		if err != nil || string(got) != step.want {
			t.Errorf("after %q: %v\n%swant\n%s", step.args, err, got, step.want)
		}
		if out, err := nodeSettings(t, server, append([]string{"check"}, step.args...)...); err != nil {
			t.Errorf("check %q: %v\n%s", step.args, err, out)
		}
	}
	if out, err := nodeSettings(t, server, "check", "c1", "", "", kept); err == nil || out != "c1: give "+kept+" , take \n" {
		t.Errorf("a controller that lacks its taint: %v, %q", err, out)
	}
}

// node is a file with a node that no kubelet has.
func node(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(file, []byte(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "`+name+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestControllersKeepTheirTaintWhileThereAreComputeNodes(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"k8s-podman-1-0-1":  `["k8s-podman-controller-01","","",""]`,
		"k8s-libvirt-1-0-1": `["k8s-libvirt-controller-01","","",""]`,
		"k8s-podman-1-1-1":  `["k8s-podman-compute-01","","","","k8s-podman-controller-01","","","node-role.kubernetes.io/control-plane=:NoSchedule"]`,
		"k8s-libvirt-1-1-1": `["k8s-libvirt-compute-01","","","","k8s-libvirt-controller-01","","","node-role.kubernetes.io/control-plane=:NoSchedule"]`,
	} {
		o := options(t, spec)
		o.Hosts = []string{"a"}
		scope, report := engine.Open(t.Context(), o)
		if err := report.Diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		if got, diags := scope.Eval("jsonencode(local.node_settings)"); diags.HasErrors() || strings.ReplaceAll(got, `\"`, `"`) != `"`+want+`"` {
			t.Errorf("%s: %v, %s, want %s", spec, diags, got, want)
		}
	}
}
