package examples

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"kinit/engine"
)

// pools are the options of the example with three pools that differ.
func pools(t *testing.T) engine.Options {
	t.Helper()
	o := options(t, "examples/pools/k8s.hcl")
	o.Inventories, o.Hosts = []string{"examples/pools/inventory.hcl"}, []string{"nyctea", "tyto"}
	return o
}

func TestTheExampleOfPoolsIsACluster(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"k8s.hcl", "inventory.hcl"} {
		text, err := os.ReadFile("../../examples/pools/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if string(hclwrite.Format(text)) != string(text) {
			t.Errorf("%s is not in the canonical format", name)
		}
	}
	report := engine.Validate(t.Context(), pools(t))
	if len(report.Diagnostics) > 0 || report.Tasks == 0 {
		t.Errorf("%d tasks, %v", report.Tasks, report.Diagnostics)
	}
	got := evaluate(t, pools(t), `[for name, n in cluster.nodes : join(" ", [name, n.driver, n.os, n.vcpus, n.memory, n.overlay])]`)
	want := []string{
		"pools-controller-01 libvirt linux 2 4GiB true",
		"pools-database-01 libvirt ubuntu-24.04 4 16GiB true", "pools-database-02 libvirt ubuntu-24.04 4 16GiB true",
		"pools-web-01 podman linux 2 1.5GiB true", "pools-web-02 podman linux 2 1.5GiB true",
		"pools-web-03 podman linux 2 1.5GiB true", "pools-web-04 podman linux 2 1.5GiB true",
		"strix host linux 2 4GiB true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the nodes (-want +got):\n%s", diff)
	}
}

// All nodes join one cluster, whatever makes them, and have the labels and taints of their pools.
func TestTheNodesOfThePoolsJoinOneCluster(t *testing.T) {
	t.Parallel()
	graph, report := engine.Order(t.Context(), pools(t))
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	var joined []string
	for _, task := range graph.Tasks {
		if strings.HasPrefix(task.Address, "task.kubeadm_init.") || strings.HasPrefix(task.Address, "task.kubeadm_join.") {
			joined = append(joined, task.Host)
		}
	}
	slices.Sort(joined)
	want := "pools-controller-01 pools-database-01 pools-database-02 pools-web-01 pools-web-02 pools-web-03 pools-web-04 strix"
	if got := strings.Join(joined, " "); got != want {
		t.Errorf("the nodes that join are %s, want %s", got, want)
	}
	settings := []string{
		"pools-controller-01", "", "", "node-role.kubernetes.io/control-plane=:NoSchedule",
		"pools-database-01", "tier=database", "database=only:NoSchedule", "", "pools-database-02", "tier=database", "database=only:NoSchedule", "",
		"pools-web-01", "tier=web", "", "", "pools-web-02", "tier=web", "", "", "pools-web-03", "tier=web", "", "", "pools-web-04", "tier=web", "", "",
		"strix", "tier=gpu", "gpu=yes:PreferNoSchedule", "",
	}
	if diff := cmp.Diff(settings, evaluate(t, pools(t), "local.node_settings")); diff != "" {
		t.Errorf("labels and taints (-want +got):\n%s", diff)
	}
}
