package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
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
// through its hypervisor, restarts, and joins a real Kubernetes.
func TestHybridClusterWithASimulatedWindowsNode(t *testing.T) {
	k := build(t)
	simulator := buildSimulator(t, k)
	run := []string{"run", spec, "--hosts", hosts, "--var", "compute_os=windows-2022", "--var", "compute_memory=2GiB"}

	k.call(t, "lab", "down", "--name", hybridLab, "--output", "json")
	k.must(t, "lab", "up", "--name", hybridLab, "--hosts", hosts, "--windows", simulator, "--var", "lab_subnet="+hybridSubnet, "--output", "json")
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
		r := k.call(t, "ssh", spec, "--hosts", hosts, "--var", "compute_os=windows-2022", "--var", "compute_memory=2GiB", "k8s-compute-01", "--", "$env:COMPUTERNAME; exit 7")
		if r.code != 7 || strings.TrimSpace(r.stdout) != "K8S-COMPUTE-01" {
			t.Errorf("exit %d, printed %q\n%s", r.code, r.stdout, r.stderr)
		}
	})

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		r := k.must(t, append(run, "--stop-after", "cleanup")...)
		if !hasLine(r.stdout, "leftovers", "0") {
			t.Errorf("no \"leftovers = 0\":\n%s", tail(r.stdout, 12))
		}
	})
}

// buildSimulator makes the program that the lab's media boot.
func buildSimulator(t *testing.T, k *kinit) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "winsim")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "./test/winsim/cmd/winsim")
	cmd.Dir, cmd.Env = k.root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, out)
	}
	return program
}
