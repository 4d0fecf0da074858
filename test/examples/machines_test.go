package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine"
)

// TestWhatKubernetesMakesOnWindowsIsTakenBack compares the tasks for Windows nodes with the
// list by which a machine that exists leaves: what is missing there would stay.
func TestWhatKubernetesMakesOnWindowsIsTakenBack(t *testing.T) {
	t.Parallel()
	const file = "../../specs/kubeadm/windows.hcl"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, diags := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body := parsed.Body.(*hclsyntax.Body)
	traces, found := tracesOf(t, body), 0
	for _, block := range tasksOf(body) {
		kind := map[string]string{"win_service": "services", "win_firewall": "rules", "win_scheduled_task": "tasks"}[block.Labels[0]]
		if block.Labels[0] == "win_env" && block.Body.Attributes["value"] != nil {
			kind = "variables"
		}
		if kind == "" {
			continue
		}
		found++
		name, diags := block.Body.Attributes["name"].Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if !slices.Contains(traces[kind], strings.TrimPrefix(name.AsString(), "kinit/")) {
			t.Errorf("%s of windows_traces has no %q, which %s.%s makes", kind, name.AsString(), block.Labels[0], block.Labels[1])
		}
	}
	if found != 7 {
		t.Errorf("%d tasks make what has a name there, want 7", found)
	}
	owned := slices.Concat(traces["alone"], traces["folders"], traces["files"])
	for _, path := range regexp.MustCompile(`C:/[^"$]*`).FindAllString(string(text), -1) {
		native := strings.ReplaceAll(path, "/", `\`)
		if !slices.ContainsFunc(owned, func(one string) bool { return native == one || strings.HasPrefix(native, one+`\`) }) {
			t.Errorf("%s is below nothing of windows_traces", path)
		}
	}
}

// tasksOf lists the tasks of a file, those in blocks too.
func tasksOf(body *hclsyntax.Body) []*hclsyntax.Block {
	var tasks []*hclsyntax.Block
	for _, b := range body.Blocks {
		switch b.Type {
		case "task":
			tasks = append(tasks, b)
		case "block":
			tasks = append(tasks, tasksOf(b.Body)...)
		}
	}
	return tasks
}

// tracesOf are the lists of windows_traces that are literal.
func tracesOf(t *testing.T, body *hclsyntax.Body) map[string][]string {
	t.Helper()
	traces := map[string][]string{}
	for _, block := range body.Blocks {
		attr := block.Body.Attributes["windows_traces"]
		if block.Type != "locals" || attr == nil {
			continue
		}
		for _, item := range attr.Expr.(*hclsyntax.ObjectConsExpr).Items {
			key, _ := item.KeyExpr.Value(nil) // a word, which is never wrong
			list, diags := item.ValueExpr.Value(nil)
			if diags.HasErrors() || !list.Type().IsTupleType() {
				continue
			}
			for _, one := range list.AsValueSlice() {
				traces[key.AsString()] = append(traces[key.AsString()], one.AsString())
			}
		}
	}
	if len(traces["services"]) == 0 {
		t.Fatal("there are no windows_traces")
	}
	return traces
}

// TestTheFileServerIsPublishedForMachinesWithWindows is about clusters without an overlay,
// whose nodes reach the services by ports of their host.
func TestTheFileServerIsPublishedForMachinesWithWindows(t *testing.T) {
	t.Parallel()
	for machine, want := range map[string]string{
		"m2": "443:443 5000:5000 6443:6443 80:80 127.0.0.1:9000:9000 127.0.0.1:10053:53/udp 127.0.0.1:8080:8080",
		"w1": "443:443 5000:5000 6443:6443 80:80 9080:8080 127.0.0.1:9000:9000 127.0.0.1:10053:53/udp",
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{
			"spec.hcl": `
spec "ports" {
  playbook = "k8s"
}
cluster "k8s" {
  pool "controller" { hosts = ["m1"] }
  pool "compute" { hosts = ["` + machine + `"] }
}
output "ports" { value = join(" ", local.services_ports) }
`,
			"inventory.hcl": `
host "a" { address = "192.0.2.1" }
host "m1" { address = "192.0.2.2" }
host "m2" { address = "192.0.2.3" }
host "w1" {
  address = "192.0.2.4"
  os      = "windows"
}
`,
		} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o := options(t, filepath.Join(folder, "spec.hcl"))
		o.Inventories, o.Hosts, o.Vars = []string{filepath.Join(folder, "inventory.hcl")}, []string{"a"}, map[string]string{"files_port": "9080"}
		got, report := engine.Value(t.Context(), o, "ports")
		if err := report.Diagnostics.Err(); err != nil || got != want {
			t.Errorf("with %s: %q, %v, want %q", machine, got, err, want)
		}
	}
}
