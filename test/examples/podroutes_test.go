package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"kinit/engine"
	"kinit/specs"
	"kinit/test/kube"
)

// The subnet of a node's pods has the node's place in the network of the nodes, and is the only
// one that the node's port on the overlay lets out.
func TestANodesAddressSaysTheSubnetOfItsPods(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"spec.hcl": `
spec "routed" {
  playbook = "k8s"
}
cluster "k8s" {
  driver = "podman"
  network { cidr = var.network_cidr }
  pool "controller" { count = 1 }
  pool "compute" {
    hosts   = ["m1"]
    overlay = true
  }
}
output "subnets" { value = jsonencode(local.pod_subnets) }
output "routed" { value = jsonencode(local.routed_networks) }
output "args" { value = jsonencode(local.network_args) }
`,
		"inventory.hcl": "host \"a\" { address = \"192.0.2.1\" }\nhost \"m1\" { address = \"192.0.2.2\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		vars                  map[string]string
		subnets, routed, args string
	}{
		{map[string]string{"pod_network": "ovn-routes"},
			`{"k8s-controller-01":"10.244.1.0/24","m1":"10.244.2.0/24"}`,
			`{"k8s-controller-01":["10.244.1.0/24"],"m1":["10.244.2.0/24"]}`,
			`{"controller_manager":{"allocate-node-cidrs":"false"}}`},
		{map[string]string{"pod_network": "ovn-routes", "network_cidr": "10.7.4.0/22", "pod_cidr": "10.128.0.0/12", "component_args": `{controller_manager = {v = "4"}}`},
			`{"k8s-controller-01":"10.128.4.0/22","m1":"10.128.8.0/22"}`,
			`{"k8s-controller-01":["10.128.4.0/22"],"m1":["10.128.8.0/22"]}`,
			`{"controller_manager":{"allocate-node-cidrs":"false","v":"4"}}`},
		{map[string]string{"pod_network": "flannel-host-gw"},
			`{}`, `{"k8s-controller-01":["10.244.0.0/16"],"m1":["10.244.0.0/16"]}`, `{}`},
		{nil, `{}`, `{}`, `{}`},
	} {
		for name, want := range map[string]string{"subnets": tc.subnets, "routed": tc.routed, "args": tc.args} {
			o := options(t, filepath.Join(folder, "spec.hcl"))
			o.Inventories, o.Hosts = []string{filepath.Join(folder, "inventory.hcl")}, []string{"a"}
			for variable, value := range tc.vars {
				o.Vars[variable] = value
			}
			got, report := engine.Value(t.Context(), o, name)
			if err := report.Diagnostics.Err(); err != nil || got != want {
				t.Errorf("%v: %s is %q, %v, want %q", tc.vars, name, got, err, want)
			}
		}
	}
}

// podCIDRs runs pod-cidrs.sh against an API server, as a controller does.
func podCIDRs(t *testing.T, server *kube.Server, args ...string) (string, error) {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "kubernetes/files/pod-cidrs.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", string(text), "pod-cidrs"}, args)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig, "PATH="+server.Folder+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestNodesGetTheirPodCIDROnce(t *testing.T) {
	t.Parallel()
	server := kube.NewServer(t)
	for _, name := range []string{"n1", "n2"} {
		if out, err := server.Kubectl(t.Context(), "create", "--filename", node(t, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	wanted := []string{"n1", "10.244.1.0/24", "n2", "10.244.2.0/24"}
	out, err := podCIDRs(t, server, append([]string{"check"}, wanted...)...)
	if want := "n1: podCIDR is \"\", not 10.244.1.0/24\nn2: podCIDR is \"\", not 10.244.2.0/24\n"; err == nil || out != want {
		t.Errorf("check before: %v, %q, want %q", err, out, want)
	}
	if out, err := podCIDRs(t, server, append([]string{"set"}, wanted...)...); err != nil {
		t.Fatalf("set: %v\n%s", err, out)
	}
	got, err := server.Kubectl(t.Context(), "get", "nodes", "--output", `jsonpath={range .items[*]}{.metadata.name} {.spec.podCIDR} {.spec.podCIDRs} {end}`).Output()
	if want := `n1 10.244.1.0/24 ["10.244.1.0/24"] n2 10.244.2.0/24 ["10.244.2.0/24"] `; err != nil || string(got) != want {
		t.Errorf("the nodes have %q, %v, want %q", got, err, want)
	}
	if out, err := podCIDRs(t, server, append([]string{"check"}, wanted...)...); err != nil || out != "" {
		t.Errorf("check after: %v, %q", err, out)
	}
	out, err = podCIDRs(t, server, "set", "n1", "10.9.1.0/24")
	if want := "n1 has joined with the podCIDR 10.244.1.0/24, and its pods now have 10.9.1.0/24: pod_network and networks cannot change on a running cluster; --recreate rebuilds it\n"; err == nil || out != want {
		t.Errorf("another subnet: %v, %q, want %q", err, out, want)
	}
	if out, err := podCIDRs(t, server, "check", "n3", "10.244.3.0/24"); err == nil || out != "the cluster has no node n3\n" {
		t.Errorf("a node that is not there: %v, %q", err, out)
	}
}
