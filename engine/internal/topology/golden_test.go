package topology

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/test/golden"
)

// hosts makes hosts of names.
func hosts(names ...string) []*inventory.Host {
	var all []*inventory.Host
	for _, name := range names {
		all = append(all, &inventory.Host{
			Settings: inventory.Settings{Name: name, Address: name + ".example"},
			Vars:     map[string]cty.Value{"zone": cty.StringVal(name[:1])},
		})
	}
	return all
}

// drivers are those that the tests' pools may have: two that make nodes, and one for
// machines that exist.
var drivers = []*spec.Driver{{Name: "made", Default: true}, {Name: "other"}, {Name: "existing", Existing: true}}

// machines is an inventory of machines that exist.
func machines() *inventory.Inventory {
	inv := &inventory.Inventory{Hosts: hosts("m3", "h1")}
	for i, name := range []string{"m1", "m2"} {
		inv.Hosts = append(inv.Hosts, &inventory.Host{Settings: inventory.Settings{Name: name, Address: fmt.Sprintf("192.0.2.%d", 1+i)}})
	}
	inv.Hosts = append(inv.Hosts, &inventory.Host{
		Settings: inventory.Settings{Name: "m4", Address: "m4.example"},
		Vars:     map[string]cty.Value{"node_address": cty.StringVal("192.0.2.4")},
	})
	for name, settings := range map[string]inventory.Settings{
		"w1": {OS: inventory.Windows}, "w2": {Transport: inventory.WinRM}, "m5": {OS: inventory.Linux},
	} {
		settings.Name, settings.Address = name, "192.0.2.7"
		inv.Hosts = append(inv.Hosts, &inventory.Host{Settings: settings})
	}
	return inv
}

// inCluster is the text of a cluster block with the lines.
func inCluster(lines ...string) string {
	return "cluster \"c\" {\n  " + strings.Join(lines, "\n  ") + "\n}"
}

// expand computes the topology of a cluster block's text.
func expand(t *testing.T, text string, names ...string) (*Topology, diag.List) {
	t.Helper()
	return expandOver(t, text, Input{Hosts: hosts(names...)})
}

// expandOver is expand over what the hosts have.
func expandOver(t *testing.T, text string, in Input) (*Topology, diag.List) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.hcl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sp, diags := spec.Load(spec.Sources{Cwd: dir}, "spec.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	c, diags := Decode(sp.Cluster, drivers, &hcl.EvalContext{})
	if diags.HasErrors() {
		return nil, diags
	}
	in.Cluster, in.Inventory = c, machines()
	return Expand(in)
}

// mustExpand fails the test when there are diagnostics.
func mustExpand(t *testing.T, text string, names ...string) *Topology {
	t.Helper()
	topo, diags := expand(t, text, names...)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return topo
}

const pools = `
  vars = { pod_network = "flannel-host-gw" }
  pool "controller" {
    count  = CONTROLLERS
    memory = "4GiB"
  }
  pool "compute" {
    count  = COMPUTES
    memory = "2GiB"
    disk   = "40GiB"
    vars   = { taint = true }
  }
`

func TestGolden(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		controllers, computes, hypervisors string
		hosts                              []string
	}{
		"1-1-1-two-hosts":   {"1", "1", "1", []string{"nyctea", "tyto"}},
		"3-2-2":             {"3", "2", "2", []string{"nyctea", "tyto"}},
		"3-2-2-three-hosts": {"3", "2", "2", []string{"nyctea", "tyto", "asio"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("CONTROLLERS", test.controllers, "COMPUTES", test.computes).Replace(
				"cluster \"k8s\" {\n  hypervisors = " + test.hypervisors + pools + "}\n")
			got := show(t, mustExpand(t, text, test.hosts...))
			if again := show(t, mustExpand(t, text, test.hosts...)); again != got {
				t.Error("a second expansion differs")
			}
			golden.Check(t, filepath.Join("testdata", name+".golden.json"), got)
		})
	}
}

// show is what expressions see, as JSON.
func show(t *testing.T, topo *Topology) string {
	value := topo.Value()
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	var any any
	if err := json.Unmarshal(text, &any); err != nil {
		t.Fatal(err)
	}
	indented, err := json.MarshalIndent(any, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(indented) + "\n"
}
