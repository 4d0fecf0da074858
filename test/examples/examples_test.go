// Package examples holds the specs, inventories and examples that people read to
// what they promise.
package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/inventories"
	"kinit/modules"
	"kinit/specs"
)

// hosts is an inventory of three hypervisors by address; nothing connects to them.
const hosts = `
host "a" { address = "192.0.2.1" }
host "b" { address = "192.0.2.2" }
host "c" { address = "192.0.2.3" }
`

func options(t *testing.T, spec string) engine.Options {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	inventory := filepath.Join(t.TempDir(), "inventory.hcl")
	if err := os.WriteFile(inventory, []byte(hosts), 0o600); err != nil {
		t.Fatal(err)
	}
	return engine.Options{
		Spec: spec, Cwd: root, Home: t.TempDir(), Inventories: []string{inventory},
		Builtin: specs.FS, Inventory: inventories.FS, Kinds: modules.All(), Vars: map[string]string{},
	}
}

func TestEveryClusterSpecIsValid(t *testing.T) {
	t.Parallel()
	names := []string{
		"specs/k8s-libvirt-1-1-1.hcl", "specs/bare-libvirt-1-1-1.hcl",
		"k8s-libvirt-1-0-1", "k8s-libvirt-3-2-2", "k8s-libvirt-3-1-3", "bare-libvirt-1-3-2",
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := engine.Validate(t.Context(), options(t, name))
			if err := report.Diagnostics.Err(); err != nil {
				t.Fatal(err)
			}
			if report.Tasks == 0 {
				t.Error("it has no tasks")
			}
		})
	}
}

func TestTooFewHypervisorsNamesBothNumbers(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-libvirt-1-1-2")
	o.Hosts = []string{"a"}
	err := engine.Validate(t.Context(), o).Diagnostics.Err()
	if err == nil || !strings.Contains(err.Error(), "2") || !strings.Contains(err.Error(), "1") {
		t.Errorf("got %v", err)
	}
}

// A playbook cannot take a variable of another, so these stand twice.
func TestTheDoctorLooksForWhatClustersNeed(t *testing.T) {
	t.Parallel()
	value := func(spec, name string) string {
		o := options(t, spec)
		scope, report := engine.Open(t.Context(), o)
		if err := report.Diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		text, diags := scope.Eval("var." + name)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, name := range []string{"hypervisor_packages", "virt_type", "datapath", "least_room_gib"} {
		if doctor, cluster := value("doctor", name), value("k8s-libvirt-1-1-1", name); doctor != cluster {
			t.Errorf("the default of %s is %s for the doctor and %s for clusters", name, doctor, cluster)
		}
	}
}

func TestExamplesChangeNothingTheSecondTime(t *testing.T) {
	t.Parallel()
	o := options(t, "examples/site/site.hcl")
	o.Hosts = []string{"localhost"}
	o.Vars["folder"] = filepath.Join(t.TempDir(), "site")
	first := engine.Run(t.Context(), o)
	if err := first.Diagnostics.Err(); err != nil || first.Changes() != 2 {
		t.Fatalf("first run: %d changes, %v", first.Changes(), err)
	}
	second := engine.Run(t.Context(), o)
	if err := second.Diagnostics.Err(); err != nil || second.Changes() != 0 {
		t.Errorf("second run: %d changes, %v", second.Changes(), err)
	}
	want := `{"localhost":"hello from localhost"}`
	if len(second.Outputs) != 1 || second.Outputs[0].Value != want {
		t.Errorf("outputs: %+v, want %s", second.Outputs, want)
	}
}

func TestPlanOfAnExampleChangesNothing(t *testing.T) {
	t.Parallel()
	o := options(t, "examples/site/site.hcl")
	o.Hosts = []string{"localhost"}
	folder := filepath.Join(t.TempDir(), "site")
	o.Vars["folder"] = folder
	report := engine.Plan(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil || report.Changes() != 3 {
		t.Errorf("%d changes, %v", report.Changes(), err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is there after a plan: %v", err)
	}
}
