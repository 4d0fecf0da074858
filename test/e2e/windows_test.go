package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The lab of the cluster with a simulated Windows node.
const (
	hybridLab    = "hybrid"
	hybridSubnet = "10.81.0.0/24"
)

// TestHybridClusterWithASimulatedWindowsNode is a whole run with a compute node that
// boots the simulator's media: Setup reads the answer CD, the node answers over WinRM
// through its hypervisor, restarts, and joins a real Kubernetes. No Windows runs here.
func TestHybridClusterWithASimulatedWindowsNode(t *testing.T) {
	k := build(t)
	windows := []string{spec, "--hosts", hosts, "--var", "compute_os=windows-2022", "--var", "compute_memory=2GiB"}
	run := append([]string{"run"}, windows...)

	k.call(t, "lab", "down", "--name", hybridLab, "--output", "json")
	k.must(t, "lab", "up", "--name", hybridLab, "--hosts", hosts, "--windows", buildSimulator(t, k), "--var", "lab_subnet="+hybridSubnet, "--output", "json")
	t.Cleanup(func() { tearDown(t, k, hybridLab) })

	step(t, "the node is Ready and says that it is simulated", func(t *testing.T) {
		r := k.must(t, append(run, "--output", "json")...)
		for _, want := range []string{"k8s-compute-01=Ready k8s-controller-01=Ready", "k8s-compute-01: Windows Server 2022 Datacenter (simulated by kinit)"} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
			}
		}
	})

	step(t, "the second run changes nothing", func(t *testing.T) {
		r := k.must(t, append(run, "--output", "json")...)
		if changed := r.finished("changed"); len(changed) > 0 {
			t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
		}
	})

	step(t, "commands run in the node's PowerShell and keep their exit code", func(t *testing.T) {
		r := k.call(t, slices.Concat([]string{"ssh"}, windows, []string{"k8s-compute-01", "--", "$env:COMPUTERNAME; exit 7"})...)
		if r.code != 7 || strings.TrimSpace(r.stdout) != "K8S-COMPUTE-01" {
			t.Errorf("exit %d, printed %q\n%s", r.code, r.stdout, r.stderr)
		}
	})

	step(t, "the simulator knew all that it was asked for", func(t *testing.T) {
		for _, host := range strings.Split(hosts, ",") {
			said := inside(t, "kinit-"+hybridLab+"-"+host, host, "cat /var/log/libvirt/qemu/*-serial.log")
			for line := range strings.Lines(said) {
				if strings.Contains(line, "simulator: ") {
					t.Error(strings.TrimSpace(line))
				}
			}
		}
	})

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		r := k.must(t, append(run, "--stop-after", "cleanup")...)
		if !hasLine(r.stdout, "leftovers", "0") {
			t.Errorf("no \"leftovers = 0\":\n%s", tail(r.stdout, 12))
		}
	})
}

// buildSimulator makes the program that the lab's media boot, as "make winsim" does: the
// same bytes each time, so that media are made once.
func buildSimulator(t *testing.T, k *kinit) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "winsim")
	cmd := exec.CommandContext(t.Context(), "make", "winsim", "WINSIM="+program)
	cmd.Dir = k.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, out)
	}
	return program
}
