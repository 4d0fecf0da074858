package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/specs"
)

// mixed is a cluster of a container, a machine on the overlay and one beside it.
func mixed(t *testing.T) engine.Options {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"spec.hcl": `
spec "mixed" {
  playbook = "k8s"
}
cluster "k8s" {
  driver = "podman"
  pool "controller" { count = 1 }
  pool "compute" {
    hosts   = ["m1"]
    overlay = true
  }
  pool "beside" { hosts = ["m2"] }
}
output "ports" { value = join(" ", keys(local.ports)) }
output "beside" { value = join(" ", local.machines_beside) }
output "others" { value = join(" ", local.beside_nodes) }
output "args" { value = jsonencode([local.node_args["m1"], local.node_args["m2"]]) }
`,
		"inventory.hcl": "host \"a\" { address = \"192.0.2.1\" }\nhost \"m1\" { address = \"192.0.2.2\" }\nhost \"m2\" { address = \"192.0.2.3\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, filepath.Join(folder, "spec.hcl"))
	o.Inventories, o.Hosts = []string{filepath.Join(folder, "inventory.hcl")}, []string{"a"}
	return o
}

func TestAMachineOnTheOverlayHasAPortAndNoRouteThroughAHypervisor(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ports":  "k8s-a k8s-controller-01 k8s-pod-01 m1",
		"beside": "m2",
		"others": "192.0.2.3",
		"args":   `[{"kubelet":{"node-ip":"10.0.0.2"}},{}]`,
	} {
		got, report := engine.Value(t.Context(), mixed(t), name)
		if err := report.Diagnostics.Err(); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestAMachineIsOnTheOverlayBeforeItJoinsAndLeavesItBeforeItIsGone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ stop, earlier, later string }{
		{"", `task.command.overlay_taken["m1"]`, `task.package.overlay_machine["m1"]`},
		{"", `task.ovs_bridge.overlay_machine["m1"]`, `task.ovn_chassis.machine["m1"]`},
		{"", `task.ovn_chassis.machine["m1"]`, "task.ovn_sync.overlay"},
		{"", `task.copy.leave["m1"]`, `task.ovs_port.machine["m1"]`},
		{"", "task.ovn_sync.overlay", `task.ovs_port.machine["m1"]`},
		{"", `task.ovs_port.machine["m1"]`, `task.systemd_unit.overlay_beside["m1"]`},
		{"cleanup", `task.command.leave_machine["m1"]`, `task.command.leave_overlay["m1"]`},
		{"cleanup", `task.command.leave_overlay["m1"]`, "task.ovn_sweep.owned"},
		{"cleanup", `task.command.leave_overlay["m1"]`, `task.ovs_sweep.machine["m1"]`},
		{"cleanup", `task.ovs_sweep.machine["m1"]`, `task.sweep.machine["m1"]`},
		{"cleanup", `task.ovs_sweep.machine["m2"]`, `task.sweep.machine["m2"]`},
	} {
		o := mixed(t)
		o.StopAfter = test.stop
		graph, report := engine.Order(t.Context(), o)
		if err := report.Diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		if !waits(graph, test.later, test.earlier, map[string]bool{}) {
			t.Errorf("%s does not wait for %s", test.later, test.earlier)
		}
	}
}

// Clean-up takes the port of a machine that is no longer wanted on the overlay.
func TestANodeThatWouldMoveIsRefusedBeforeCleanUp(t *testing.T) {
	t.Parallel()
	graph, report := engine.Order(t.Context(), mixed(t))
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	stages := map[string]string{}
	for _, task := range graph.Tasks {
		stages[task.Address] = task.Stage
	}
	for _, task := range []string{`task.command.moved["m1"]`, `task.command.moved["m2"]`, `task.command.overlay_taken["m1"]`} {
		if stages[task] != "prepare" {
			t.Errorf("%s is in the stage %q, want prepare", task, stages[task])
		}
	}
}

// waits reports whether a task comes after another by itself or by what it waits for.
func waits(graph *engine.Graph, later, earlier string, seen map[string]bool) bool {
	i := slices.IndexFunc(graph.Tasks, func(task engine.GraphTask) bool { return task.Address == later })
	if i < 0 || seen[later] {
		return false
	}
	seen[later] = true
	needs := slices.Clone(graph.Tasks[i].Needs)
	for _, set := range graph.Tasks[i].Sets {
		needs = append(needs, graph.Sets[set]...)
	}
	return slices.ContainsFunc(needs, func(need string) bool {
		return need == earlier || waits(graph, need, earlier, seen)
	})
}

// script runs a script that ships with the specs, as a task does.
func script(t *testing.T, env []string, file string, args ...string) string {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", string(text), file}, args)...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return strings.TrimSpace(string(out)) + " (" + err.Error() + ")"
	}
	return ""
}

func TestAMachineWhoseSwitchServesOthersIsRefused(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ovs", "ovsdb-tool", "ovsdb-server", "ovs-vsctl")
	const taken = "drivers/host/files/overlay-taken.sh"
	tests := map[string]struct {
		set  [][]string
		want string
	}{
		"nothing is there":      {nil, ""},
		"bridges of their own":  {[][]string{{"add-br", "br-phy"}, {"add-port", "br-phy", "eth7"}, {"add-br", "br-int"}}, ""},
		"another system-id":     {[][]string{{"set", "Open_vSwitch", ".", "external_ids:system-id=x"}}, ""},
		"the cluster's already": {[][]string{{"set", "Open_vSwitch", ".", "external_ids:ovn-remote=\"ssl:192.0.2.1:6642\"", "external_ids:kinit-users-ovn-remote=\"k8s.0-1\""}, {"add-br", "br-int"}, {"add-port", "br-int", "knode", "--", "set", "Port", "knode", "external_ids:kinit-owner=k8s.0-1"}}, ""},
		"an OVN":                {[][]string{{"set", "Open_vSwitch", ".", "external_ids:ovn-remote=\"tcp:192.0.2.9:6642\""}}, "this machine is a chassis of an OVN that kinit did not make (ovn-remote is tcp:192.0.2.9:6642)."},
		"an OVN by system-id":   {[][]string{{"set", "Open_vSwitch", ".", "external_ids:ovn-remote-x=\"tcp:192.0.2.9:6642\""}}, "this machine is a chassis of an OVN that kinit did not make (ovn-remote is tcp:192.0.2.9:6642)."},
		"another cluster":       {[][]string{{"set", "Open_vSwitch", ".", "external_ids:ovn-remote=\"ssl:192.0.2.1:6642\"", "external_ids:kinit-users-ovn-remote=k8s2"}}, "this machine is a chassis of another cluster's overlay: k8s2."},
		"two clusters":          {[][]string{{"set", "Open_vSwitch", ".", "external_ids:ovn-remote=\"ssl:192.0.2.1:6642\"", "external_ids:kinit-users-ovn-remote=\"k8s,other\""}}, "this machine is a chassis of several clusters: k8s,other."},
		"ports on br-int":       {[][]string{{"add-br", "br-int"}, {"add-port", "br-int", "tap0"}}, "this machine's bridge br-int has the port tap0, which kinit did not make."},
		"keys of its own":       {[][]string{{"set-ssl", "/k", "/c", "/ca"}}, "this machine's Open vSwitch has keys and certificates of its own (ovs-vsctl get-ssl)."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := ovsdb(t)
			for _, args := range test.set {
				args = slices.Concat([]string{"--db=unix:" + folder + "/db.sock", "--no-wait"}, args)
				if out, err := exec.CommandContext(t.Context(), "ovs-vsctl", args...).CombinedOutput(); err != nil {
					t.Fatalf("ovs-vsctl %q: %v\n%s", args, err, out)
				}
			}
			want := test.want
			if want != "" {
				want += " Name another machine, or name this one in a pool without overlay: it is reached beside the overlay then. (exit status 1)"
			}
			if got := script(t, []string{"OVS_RUNDIR=" + folder}, taken, "k8s"); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	if got := script(t, []string{"OVS_RUNDIR=" + t.TempDir()}, taken, "k8s"); got != "" {
		t.Errorf("without Open vSwitch: %q", got)
	}
}

// ovsdb starts an empty database of Open vSwitch and returns the folder of its socket.
func ovsdb(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "ovs") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if out, err := exec.CommandContext(t.Context(), "ovsdb-tool", "create", folder+"/conf.db", "/usr/share/openvswitch/vswitch.ovsschema").CombinedOutput(); err != nil {
		t.Fatalf("ovsdb-tool: %v\n%s", err, out)
	}
	server := exec.CommandContext(t.Context(), "ovsdb-server", folder+"/conf.db", "--remote=punix:"+folder+"/db.sock", "--unixctl="+folder+"/ctl")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended with the test's context
		_ = server.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := exec.CommandContext(t.Context(), "ovs-vsctl", "--db=unix:"+folder+"/db.sock", "--no-wait", "init").Run(); err == nil {
			return folder
		} else if time.Now().After(deadline) {
			t.Fatalf("ovsdb-server does not answer: %v", err)
		}
	}
}
