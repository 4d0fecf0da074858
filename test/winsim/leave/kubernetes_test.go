package leave

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/inventories"
	"kinit/modules"
	"kinit/modules/win_powershell"
	"kinit/specs"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/winhost"
)

// kubernetes is a spec that tells what Kubernetes makes on a Windows node, and how it
// leaves.
const kubernetes = `
spec "kubernetes" {
  playbook = "k8s"
}

cluster "k8s" {
  pool "controller" { count = 1 }
  pool "compute" { hosts = ["w1"] }
}

output "told" {
  value = jsonencode({ traces = merge(local.windows_traces, { route = { gateway = "" } }), script = local.windows_leave_script })
}
`

// traces are what the test itself looks at of windows_traces.
type traces struct {
	Services, Rules, Alone, Folders, Files, Elements, Variables []string
}

// told is what the spec says: how a node leaves, and the list twice, for the test and as it
// is for scripts.
func told(t *testing.T) (script string, list traces, raw json.RawMessage) {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, "spec.hcl", kubernetes)
	write(t, folder, "inventory.hcl", "host \"a\" { address = \"192.0.2.1\" }\nhost \"w1\" {\n  address = \"192.0.2.7\"\n  os = \"windows\"\n}\n")
	text, report := engine.Value(t.Context(), engine.Options{
		Inputs: engine.Inputs{
			Spec: filepath.Join(folder, "spec.hcl"), Cwd: folder, Hosts: []string{"a"},
			Inventories: []string{filepath.Join(folder, "inventory.hcl")}, Vars: map[string]string{},
		},
		Home: folder, Builtin: specs.FS, Inventory: inventories.FS, Kinds: modules.All(),
	}, "told")
	must(t, report.Diagnostics.Err())
	var said struct {
		Traces json.RawMessage
		Script string
	}
	must(t, json.Unmarshal([]byte(text), &said))
	must(t, json.Unmarshal(said.Traces, &list))
	return said.Script, list, said.Traces
}

// recorded runs the driver's script that makes the record.
func recorded(t *testing.T, h *winhost.Host, folder string, raw json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"cluster": "k8s", "folder": folder, "traces": raw})
	must(t, err)
	kind, err := ctyjson.ImpliedType(text)
	must(t, err)
	arguments, err := ctyjson.Unmarshal(text, kind)
	must(t, err)
	task := winpowershell.Kind().New().(*winpowershell.Task)
	task.Script, task.Arguments = read(t, driver+"/files/windows-record.ps1"), arguments
	moduletest.Apply(t, task, h)
}

// occupy makes something of each kind that Kubernetes makes, and starts its services.
func occupy(t *testing.T, h *winhost.Host, list traces) {
	t.Helper()
	for _, folder := range append(list.Alone, list.Folders...) {
		h.Put(folder+`\below\file`, "of the cluster")
	}
	for _, file := range list.Files {
		h.Put(file, "of the cluster")
	}
	const containerd = `C:\Program Files\containerd\containerd.exe`
	h.Put(containerd, string(machine.Stand("containerd", "v1.7.28")))
	h.Put(`C:\k\crictl.exe`, string(machine.Stand("crictl", "v1.34.0")))
	h.Put(`C:\k\kubelet.exe`, string(machine.Stand("svchost", "v1.34.4")))
	for _, name := range list.Services {
		image := `C:\k\kubelet.exe`
		if name == "containerd" {
			image = `"` + containerd + `" --run-service`
		}
		must(t, h.Services.Create(scm.Config{Name: name, DisplayName: name, Image: image, Start: scm.Auto}))
		must(t, h.Services.Start(t.Context(), name))
	}
	for _, name := range list.Rules {
		must(t, h.Firewall.Add(firewall.Rule{Name: name, DisplayName: name, Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"1"}}))
	}
	path, _ := h.Registry.Get(environment, "Path")
	path.Text += ";" + strings.Join(list.Elements, ";")
	must(t, h.Registry.Set(environment, path))
	for _, name := range list.Variables {
		must(t, h.Registry.Set(environment, registry.Text(name, "w1")))
	}
}

func TestKubernetesLeavesNothing(t *testing.T) {
	t.Parallel()
	script, list, raw := told(t)
	h := winhost.New(t, winhost.Options{})
	furnish(t, h.Machine)
	before := facts(t, h.Machine)
	const folder = `C:\ProgramData\kinit\clusters\k8s`
	h.Put(folder+`\leave.ps1`, read(t, driver+"/files/windows-leave.ps1")+script+read(t, driver+"/files/windows-left.ps1"))
	recorded(t, h, folder, raw)
	occupy(t, h, list)
	if joined := facts(t, h.Machine); len(joined) < len(before)+len(list.Alone)+len(list.Services) {
		t.Fatalf("there is little to take back: %d facts instead of %d", len(joined), len(before))
	}
	if out, err := h.Run(t.Context(), module.Command{PowerShell: "& " + folder + `\leave.ps1`}); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Stdout, out.Stderr)
	}
	must(t, h.Machine.Files.RemoveAll(`C:\ProgramData\kinit`, true))
	if diff := cmp.Diff(before, facts(t, h.Machine)); diff != "" {
		t.Errorf("the machine is not as it was (-before +after):\n%s", diff)
	}
}
