// Package examples checks that the specs, inventories and examples that people read are
// valid and do what they promise.
package examples

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"kinit/engine"
	"kinit/engine/event"
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

// labHosts is an inventory of the hosts that the examples are written for.
const labHosts = `
host "web1" { address = "192.0.2.11" }
host "web2" { address = "192.0.2.12" }
host "db1" { address = "192.0.2.13" }
`

func options(t testing.TB, spec string) engine.Options {
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
		Inputs: engine.Inputs{Spec: spec, Cwd: root, Inventories: []string{inventory}, Vars: map[string]string{}},
		Home:   t.TempDir(), Builtin: specs.FS, Inventory: inventories.FS, Kinds: modules.All(),
	}
}

func TestEveryClusterSpecIsValid(t *testing.T) {
	t.Parallel()
	names := []string{
		"specs/k8s-libvirt-1-1-1.hcl", "specs/bare-libvirt-1-1-1.hcl",
		"specs/k8s-podman-1-1-1.hcl", "specs/bare-podman-1-1-1.hcl", "k8s-podman-3-2-2", "bare-podman-1-0-3",
		"k8s-libvirt-1-0-1", "k8s-libvirt-3-2-2", "k8s-libvirt-3-1-3", "bare-libvirt-1-3-2",
		"eksd-podman-1-1-1", "eksd-libvirt-3-2-2",
		"k3s-podman-1-1-1", "k3s-libvirt-3-2-2", "k3s-podman-1-0-1", "rke2-podman-1-1-1", "rke2-libvirt-3-2-2",
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

// TestEveryUnitOfASizeReachesTheModules makes nodes with sizes that no binary unit shows as a
// whole number.
func TestEveryUnitOfASizeReachesTheModules(t *testing.T) {
	t.Parallel()
	o := options(t, "bare-libvirt-1-0-1")
	o.Vars = map[string]string{"compute_memory": "4GB", "compute_disk": "25.5GB"}
	if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Error(err)
	}
}

// TestEveryModuleExampleIsValid plans the playbook of each module's reference
// without connecting to a host.
func TestEveryModuleExampleIsValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../modules/*/*.example.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples %v, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(hclwrite.Format(text)) != string(text) {
				t.Error("it is not in the canonical format")
			}
			if module := strings.TrimSuffix(name, ".example.hcl"); !strings.Contains(string(text), `task "`+module+`" `) {
				t.Errorf("it has no task of the module %s", module)
			}
			o := options(t, strings.TrimPrefix(file, "../../"))
			o.Hosts = []string{"a"}
			if strings.HasPrefix(name, "win_") {
				o.Inventories = []string{windowsHost(t)}
			}
			if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// windowsHost is an inventory in which the host a runs Windows.
func windowsHost(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "windows.hcl")
	if err := os.WriteFile(file, []byte("host \"a\" { os = \"windows\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestEveryExampleIsValid plans each example without connecting to a host. That they
// work is for test/e2e, but for the rolling reboot: hosts of a lab are not restarted.
func TestEveryExampleIsValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*/site.hcl")
	if err != nil || len(files) < 8 {
		t.Fatalf("examples %v, %v", files, err)
	}
	index, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(hclwrite.Format(text)) != string(text) {
				t.Error("it is not in the canonical format")
			}
			if _, err := os.Stat(filepath.Join(folder, "README.md")); err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(index), "["+name+"]("+name+"/README.md)") {
				t.Error("the README of the examples does not lead to it")
			}
			report := engine.Validate(t.Context(), exampleOn(t, strings.TrimPrefix(file, "../../")))
			if len(report.Diagnostics) > 0 || report.Tasks == 0 {
				t.Errorf("%d tasks, %v", report.Tasks, report.Diagnostics)
			}
		})
	}
}

// exampleOn are the options of an example, with the inventories that its README names.
func exampleOn(t *testing.T, file string) engine.Options {
	t.Helper()
	o := options(t, file)
	lab := filepath.Join(t.TempDir(), "lab.hcl")
	if err := os.WriteFile(lab, []byte(labHosts), 0o600); err != nil {
		t.Fatal(err)
	}
	inventory := "examples/lab.hcl"
	if hosts := filepath.Join(filepath.Dir(file), "hosts.ini"); exists(filepath.Join(o.Cwd, hosts)) {
		inventory = hosts
	}
	o.Inventories = []string{lab, inventory}
	return o
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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

// told keeps what tasks tell, by address.
type told struct {
	mu  sync.Mutex
	all map[string]string
}

func (s *told) Emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind == event.TaskFinished {
		s.all[e.Task] = string(e.Status) + " " + e.Message
	}
}

func TestMessagesAreToldInRunsAndPlansAndAreNoChanges(t *testing.T) {
	t.Parallel()
	playbook := filepath.Join(t.TempDir(), "told.hcl")
	text := `
variable "token" {
  type      = string
  default   = "opensesame"
  sensitive = true
}
stage "tell" {}
task "debug" "text" {
  stage   = "tell"
  host    = "localhost"
  message = "the token is ${var.token}"
}
task "debug" "value" {
  stage = "tell"
  host  = "localhost"
  value = { a = [1] }
}
`
	if err := os.WriteFile(playbook, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(context.Context, engine.Options) *engine.Report{"run": engine.Run, "plan": engine.Plan} {
		o, events := options(t, playbook), &told{all: map[string]string{}}
		o.Hosts, o.Events = []string{"localhost"}, events
		report := use(t.Context(), o)
		if err := report.Diagnostics.Err(); err != nil || report.Changes() != 0 {
			t.Errorf("%s: %d changes, %v", name, report.Changes(), err)
		}
		want := map[string]string{"task.debug.text": "ok (sensitive)", "task.debug.value": "ok {\n  \"a\": [\n    1\n  ]\n}"}
		if diff := cmp.Diff(want, events.all); diff != "" {
			t.Errorf("%s told (-want +got):\n%s", name, diff)
		}
	}
}
