package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hybrid is the first cluster with one more node, which is to run Windows. The lab's
// media boot the simulator instead: Setup reads the answer CD, the node answers over
// WinRM through its hypervisor, restarts, and joins a real Kubernetes. No Windows runs
// here, so its waits end sooner.
var hybrid = []string{"examples/hybrid/k8s.hcl", "--hosts", hosts, "--var", "windows_install_timeout=15m", "--var", "windows_boot_timeout=15m"}

// grow adds the node to the cluster that is there.
func grow(t *testing.T, k *kinit) {
	run := slices.Concat([]string{"run"}, hybrid, []string{"--output", "json"})

	step(t, "a simulated Windows node joins, and says that it is simulated", func(t *testing.T) {
		r := k.must(t, run...)
		for _, want := range []string{
			"k8s-compute-01=Ready k8s-controller-01=Ready k8s-windows-01=Ready",
			"k8s-windows-01: Windows Server 2022 Datacenter (simulated by kinit)",
		} {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
			}
		}
	})

	step(t, "the second run of the grown cluster changes nothing", func(t *testing.T) {
		if changed := k.must(t, run...).finished("changed"); len(changed) > 0 {
			t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
		}
	})

	step(t, "commands run in the node's PowerShell and keep their exit code", func(t *testing.T) {
		r := k.call(t, slices.Concat([]string{"ssh"}, hybrid, []string{"k8s-windows-01", "--", "$env:COMPUTERNAME; exit 7"})...)
		if r.code != 7 || strings.TrimSpace(r.stdout) != "K8S-WINDOWS-01" {
			t.Errorf("exit %d, printed %q\n%s", r.code, r.stdout, r.stderr)
		}
	})

	step(t, "the simulator knew all that it was asked for", func(t *testing.T) {
		for _, host := range strings.Split(hosts, ",") {
			said := on(t, host, "cat /var/log/libvirt/qemu/*-serial.log")
			for line := range strings.Lines(said) {
				if strings.Contains(line, "simulator: ") {
					t.Error(strings.TrimSpace(line))
				}
			}
		}
	})
}

// buildSimulator makes the program that the lab's media boot, as "make winsim" does: the
// same bytes each time, so that media are made once.
func buildSimulator(t testing.TB, k *kinit) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "winsim")
	cmd := exec.CommandContext(t.Context(), "make", "winsim", "WINSIM="+program)
	cmd.Dir = k.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, out)
	}
	return program
}
