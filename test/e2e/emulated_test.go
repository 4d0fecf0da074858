//go:build emulated

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestKubernetesOnGuestsOfTwoHypervisors deploys Kubernetes on guests, killed on the way, uses it, lets a
// simulated Windows guest join, and removes everything.
func TestKubernetesOnGuestsOfTwoHypervisors(t *testing.T) {
	k := build(t)
	// The example that adds a Windows node calls its cluster k8s.
	named := []string{spec, "--hosts", hosts, "--set", "cluster.name=k8s"}
	run := slices.Concat([]string{"run"}, named)

	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--windows", buildSimulator(t, k))
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}

	step(t, "interrupted in the middle of the cluster", func(t *testing.T) {
		r := k.until(t, started("task.kubeadm_init"), interrupt, run...)
		r.refuses(t, 130)
		on(t, "nyctea", plantForeign)
	})

	step(t, "killed in the middle of the cluster", func(t *testing.T) {
		k.until(t, at("task_progress", "task.kubeadm_init"), kill, run...)
	})

	step(t, "finishes with two Ready nodes", func(t *testing.T) {
		bothReady(t, k.must(t, append(run, "--output", "json")...))
	})

	step(t, "a kubectl outside works with the kubeconfig", func(t *testing.T) {
		newAPI(t, k, named).await(t, "k8s-compute-01", "k8s-controller-01")
	})

	step(t, "commands run on a guest and keep their exit code", func(t *testing.T) {
		runsOnGuest(t, k, named, "k8s-compute-01")
	})

	step(t, "status shows every host answering", func(t *testing.T) {
		args := slices.Concat([]string{"status"}, named)
		r := k.call(t, args...)
		// An emulated control plane on a busy machine is not ready for a moment, and a status says so.
		for tries := 1; tries < 5 && r.code == 1 && strings.Contains(r.stdout, "it is not "); tries++ {
			t.Logf("for a moment:\n%s", r.stdout)
			r = k.call(t, args...)
		}
		r.succeeds(t, args)
		for _, host := range []string{"nyctea", "tyto", "k8s-controller-01", "k8s-compute-01"} {
			if !hasLine(r.stdout, host, "answers") {
				t.Errorf("%s does not answer:\n%s", host, r.stdout)
			}
		}
	})

	grow(t, k)
	guestsRemoved(t, k, run, before)
}

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
