package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/draw/topology"
	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/lists"
	"kinit/test/golden"
)

// drawn plans the topology of a spec.
func drawn(t *testing.T, o engine.Options) *event.Topology {
	t.Helper()
	cluster, report := engine.Topology(t.Context(), o)
	if cluster == nil || report.Diagnostics.HasErrors() {
		t.Fatal(report.Diagnostics)
	}
	return cluster
}

// TestPictureOfTheReadmeIsThatOfItsSpec: "make golden" rewrites the picture.
func TestPictureOfTheReadmeIsThatOfItsSpec(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Hosts = []string{"nyctea", "tyto"}
	o.Inventories = []string{filepath.Join(t.TempDir(), "inventory.hcl")}
	if err := os.WriteFile(o.Inventories[0], []byte("host \"nyctea\" { address = \"192.0.2.10\" }\nhost \"tyto\" { address = \"192.0.2.11\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../docs/deployment.svg", topology.SVG(drawn(t, o)))
}

func TestTopologyHasServicesAndPublishedPorts(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Vars["published_ports"] = `{ "16443" = 6443, "80" = 80, "443" = 443 }`
	got := drawn(t, o)
	want := event.Pod{
		Name: "k8s-podman-pod-01", Hypervisor: "a", IP: "10.0.0.253", Ports: []event.PortPair{{Outside: 16443, Inside: 6443}, {Outside: 443, Inside: 443}, {Outside: 80, Inside: 80}},
		Services: []event.Service{{Name: "bind9", Title: "DNS"}, {Name: "haproxy", Title: "load balancer"}, {Name: "registry", Title: "registry"}, {Name: "nginx", Title: "file server"}},
	}
	if diff := cmp.Diff([]event.Pod{want}, got.Pods); diff != "" {
		t.Error(diff)
	}
	overlay := &event.Overlay{Switch: "kinit-k8s-podman", Router: "kinit-k8s-podman", Tunnels: "Geneve", Outside: "172.16.0.96", Networks: []event.CIDR{{Name: "pods", CIDR: "10.244.0.0/16"}}}
	if diff := cmp.Diff(overlay, got.Overlay); diff != "" {
		t.Error(diff)
	}
}

func TestTopologyOfExistingMachinesHasNoOverlay(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Vars["controller_hosts"], o.Vars["compute_hosts"] = `["b"]`, `["c"]`
	o.Hosts = []string{"a"}
	got := drawn(t, o)
	if got.Overlay != nil || got.Pods[0].IP != "" || got.Hypervisors[0].IP != "" {
		t.Errorf("got the overlay %+v, the pod at %q and the hypervisor at %q", got.Overlay, got.Pods[0].IP, got.Hypervisors[0].IP)
	}
	ports := lists.Map(got.Pods[0].Ports, func(p event.PortPair) int { return p.Outside })
	slices.Sort(ports)
	if diff := cmp.Diff([]int{80, 443, 5000, 6443}, ports); diff != "" {
		t.Error(diff)
	}
}

func TestReplicasOfServicesShareTheirAddress(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Set = []string{"services.count=2"}
	got := drawn(t, o)
	if len(got.Pods) != 2 || got.Pods[0].Address == "" || got.Pods[0].Address != got.Pods[1].Address || got.Pods[0].Hypervisor == got.Pods[1].Hypervisor {
		t.Errorf("got the pods %+v", got.Pods)
	}
	for _, p := range got.Pods {
		if text := topology.SVG(got); !strings.Contains(text, ">"+p.IP+", "+p.Address+" moves<") {
			t.Errorf("the picture does not show that the address of %s moves", p.Name)
		}
	}
}

func TestRunsDoNotListTheTopologyAmongTheirOutputs(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Offline = true
	if cluster := describe(t, o).Topology; cluster == nil || len(cluster.Nodes) != 2 {
		t.Errorf("the event of the plan has the topology %+v", cluster)
	}
	for _, output := range engine.Plan(t.Context(), o).Outputs {
		if output.Name == engine.TopologyOutput {
			t.Errorf("the output %s is listed: %s", output.Name, output.Value)
		}
	}
}
