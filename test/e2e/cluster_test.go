package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const spec = "specs/k8s-libvirt-1-1-1.hcl"

// foreign is what somebody else has on a hypervisor: same kinds of things, no mark
// of ours. It must be there, unchanged, after everything.
const plantForeign = `
set -e
cat >/tmp/foreign.xml <<XML
<domain type="qemu"><name>foreign</name><memory unit="MiB">64</memory><os><type>hvm</type></os></domain>
XML
virsh -c qemu:///system define /tmp/foreign.xml
ovn-nbctl --may-exist ls-add foreign
tar -C /etc -c hostname | podman import --quiet - foreign:1 >/dev/null
podman create --name foreign foreign:1 true >/dev/null
nft add table ip foreign
nft add chain ip foreign input
`

const lookForeign = `
virsh -c qemu:///system domstate foreign
ovn-nbctl --bare --columns=name find Logical_Switch name=foreign
podman ps --all --filter name=^foreign$ --format '{{.Names}}'
nft list table ip foreign | tr -d '\n\t'
`

// startOVN starts the databases again that clean-up has stopped, to look into them.
const startOVN = `
systemctl start ovn-central
for i in $(seq 150); do ovn-nbctl show >/dev/null 2>&1 && break; sleep 0.2; done
`

const removeForeign = `
virsh -c qemu:///system undefine foreign
ovn-nbctl --if-exists ls-del foreign
podman rm foreign
podman rmi foreign:1
nft delete table ip foreign
`

// TestGuestsOverTwoHypervisors is the life of a cluster's guests: deployed in pieces, killed on
// the way, used, removed, beside another cluster. It stops after the nodes: guests are emulated
// where there is no KVM, and "make emulated" runs Kubernetes on them. The steps build on each other, so the
// first failure ends it.
func TestGuestsOverTwoHypervisors(t *testing.T) {
	k := build(t)
	run := []string{"run", spec, "--hosts", hosts}
	nodes := append(slices.Clone(run), "--stop-after", "nodes")

	newLab(t, k, labName, labSubnet, "--hosts", hosts)
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}

	const jobs, reboot = "a periodic job that is killed", "guests that restart"
	chosen := choose(t, jobs, reboot)

	if chosen(jobs) {
		step(t, "a periodic job that is killed anywhere loses no result and leaves nothing", func(t *testing.T) {
			killJobs(t, k, before)
		})
	}

	refusals(t, k)

	step(t, "another cluster has the hypervisors first", func(t *testing.T) {
		k.must(t, append(other, "--output", "json")...)
		if diff := cmp.Diff("67108864\n"+secondAddress+"\n", onGuest(t, k, "bare-libvirt-compute-01", furtherHardware)); diff != "" {
			t.Errorf("bare-libvirt-compute-01 has a disk and a card (-want +got):\n%s", diff)
		}
		if chosen(reboot) {
			rebootGuests(t, k)
		}
	})

	if os.Getenv("KINIT_ALL") != "" { // an emulated guest boots twice more
		step(t, "a guest that hangs is restarted", func(t *testing.T) {
			onGuest(t, k, "bare-libvirt-compute-01", "systemd-run --on-active=1 sh -c 'echo c >/proc/sysrq-trigger'")
			inside(t, container("tyto"), "tyto", `until grep -q "end Kernel panic" /var/log/libvirt/qemu/bare-libvirt-compute-01-serial.log; do sleep 0.2; done`)
			r := k.must(t, append(other, "--var", "boot_silence=10s", "--output", "json")...)
			i := slices.IndexFunc(r.events, func(e event) bool {
				return e.Kind == "task_finished" && e.Task == `task.wait.node["bare-libvirt-compute-01"]`
			})
			if said := r.events[i].Message; !strings.Contains(said, "bare-libvirt-compute-01-serial.log was silent for ") {
				t.Errorf("the wait for the guest says %q", said)
			}
		})
	}

	step(t, "stops after the network and goes on from there", func(t *testing.T) {
		r := k.must(t, append(run, "--stop-after", "network", "--output", "json")...)
		for _, e := range r.events {
			if e.Stage == "services" || e.Stage == "nodes" {
				t.Fatalf("%s ran, which comes after the network", e.Task)
			}
		}
	})

	step(t, "a guest that never answers is shown with its state and its console", func(t *testing.T) {
		r := k.call(t, append(nodes, "--var", "boot_timeout=1s", "--output", "quiet")...)
		r.refuses(t, 1, "k8s-libvirt-compute-01", "domstate", "running", "-serial.log")
		on(t, "nyctea", plantForeign)
	})

	step(t, "killed in the middle of the nodes", func(t *testing.T) {
		k.until(t, started("task.wait.node"), kill, nodes...)
	})

	step(t, "interrupted in the middle of the nodes", func(t *testing.T) {
		r := k.until(t, started("task.wait.node"), interrupt, nodes...)
		r.refuses(t, 130)
		if i := slices.IndexFunc(r.events, at("run_waits", "")); i >= 0 {
			t.Errorf("waited for the lock of the run that was killed on this machine: %q", r.events[i].Message)
		}
	})

	step(t, "finishes with two guests that answer", func(t *testing.T) {
		k.must(t, append(nodes, "--output", "json")...)
		unchanged(t, k, nodes)
	})

	step(t, "commands run on a guest and keep their exit code", func(t *testing.T) {
		runsOnGuest(t, k, run[1:], "k8s-libvirt-compute-01")
	})

	step(t, "a node does not reach the nodes of the other cluster", func(t *testing.T) {
		said := onGuest(t, k, "bare-libvirt-compute-01", askCluster)
		if diff := cmp.Diff("node no\n", said); diff != "" {
			t.Errorf("bare-libvirt-compute-01 reaches (-want +got):\n%s", diff)
		}
	})

	step(t, "the other cluster goes, and this one stays", func(t *testing.T) {
		k.must(t, append(other, "--output", "json", "--stop-after", "cleanup")...)
		runsOnGuest(t, k, run[1:], "k8s-libvirt-compute-01")
	})

	guestsRemoved(t, k, run, before)
}

// guestsRemoved is the end of a cluster of guests, beside foreign objects.
func guestsRemoved(t *testing.T, k *kinit, run []string, before map[string]map[string]bool) {
	t.Helper()
	step(t, "clean-up leaves nothing, without the state folder", func(t *testing.T) {
		foreign := on(t, "nyctea", lookForeign)
		removeRuns(t, k)
		r := k.must(t, append(run, "--stop-after", "cleanup")...)
		if !hasLine(r.stdout, "leftovers", "0") {
			t.Errorf("no \"leftovers = 0\":\n%s", tail(r.stdout, 12))
		}
		if got := on(t, "nyctea", startOVN+lookForeign); got != foreign {
			t.Errorf("foreign objects have changed:\n%s\nbefore:\n%s", got, foreign)
		}
		on(t, "nyctea", removeForeign+"systemctl stop ovn-central")
	})

	step(t, "the hypervisors are as they were", func(t *testing.T) {
		asBefore(t, before)
	})

	step(t, "clean-up twice is fine", func(t *testing.T) {
		r := k.must(t, append(run, "--stop-after", "cleanup", "--output", "json")...)
		if changed := r.finished("changed"); len(changed) > 0 {
			t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
		}
	})
}

// runsOnGuest runs a command on a guest of the cluster under test.
func runsOnGuest(t *testing.T, k *kinit, named []string, node string) {
	t.Helper()
	r := k.call(t, slices.Concat([]string{"ssh"}, named, []string{node, "--", "sh", "-c", "hostname; exit 7"})...)
	if r.code != 7 || r.stdout != node+"\n" {
		t.Errorf("exit %d, printed %q\n%s", r.code, r.stdout, r.stderr)
	}
}

// askCluster tries to connect, from a node of another cluster, to a node's sshd.
const askCluster = `
ask() { if timeout 10 bash -c "exec 3<>/dev/tcp/$2" 2>/dev/null; then echo "$1 yes"; else echo "$1 no"; fi; }
ask node 10.0.0.1/22
`

// step is a sub-test on which the next ones stand.
func step(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, f) {
		t.FailNow()
	}
}

// started matches the start of a task, whatever its key.
func started(task string) func(event) bool { return at("task_started", task) }

// at matches an event of a kind about a task, whatever its key.
func at(kind, task string) func(event) bool {
	return func(e event) bool { return e.Kind == kind && strings.HasPrefix(e.Task, task) }
}

// atStep matches the start of the n-th change.
func atStep(n int) func(event) bool { return nth("step_started", n) }

// after matches the start of the n-th task.
func after(n int) func(event) bool { return nth("task_started", n) }

// nth matches the n-th event of a kind, and all that follow.
func nth(kind string, n int) func(event) bool {
	return func(e event) bool {
		if e.Kind == kind {
			n--
		}
		return n <= 0
	}
}

func kill(p *os.Process) { _ = p.Kill() } // it may have ended by itself

func interrupt(p *os.Process) { _ = p.Signal(syscall.SIGINT) }

// bothReady checks that a run's output names both nodes Ready.
func bothReady(t *testing.T, r result) {
	t.Helper()
	if !ready.MatchString(r.stdout) {
		t.Errorf("the output does not name both nodes Ready\n%s", tail(r.stdout, 3))
	}
}

var ready = regexp.MustCompile(`\S+-compute-01=Ready \S+-controller-01=Ready`)

// other is another cluster's spec, with what keeps it apart from the one under test. One of
// its guests has a further disk, and a card on a bridge of its hypervisor. Root logins are not used
// on its guests.
var other = []string{
	"run", "specs/bare-libvirt-1-1-1.hcl", "--hosts", hosts,
	"--var", "network_cidr=10.1.0.0/24", "--var", `published_ports={"8443"=6443,"8080"=80,"8444"=443}`,
	"--var", "guest_user=" + guestUser,
	"--var", "controller_vcpus=1", "--var", "compute_vcpus=1",
	"--set", `node.compute-01.vars.disks=["64MiB"]`,
	"--set", `node.compute-01.vars.nics=[{bridge="br-eth0", addresses=["` + secondAddress + `"]}]`,
}

const guestUser = "deploy"

// secondAddress is that of the card, on the network of the hypervisors.
const secondAddress = "10.78.0.99/24"

// furtherHardware prints the size of the disk, in bytes, and the address of the card.
const furtherHardware = `
blockdev --getsize64 /dev/disk/by-id/virtio-data-1
ip -4 -o addr show | sed -n 's/.* inet \(10\.78\.[^ ]*\) .*/\1/p'
`

// hasLine reports whether a line begins with a word and contains another.
func hasLine(text, first, other string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, first) && strings.Contains(line, other) {
			return true
		}
	}
	return false
}

// apiPatience is how long the API may be busy.
const apiPatience = 5 * time.Minute

// kubectl is the client among the lab's artifacts.
func kubectl(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "kubectl")
	if err := os.Symlink(filepath.Join(cache, "kinit", "lab", "kubernetes"), link); err != nil {
		t.Fatal(err)
	}
	return link
}

// removeRuns deletes what kinit keeps about earlier runs, and keeps the lab's keys.
func removeRuns(t *testing.T, k *kinit) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(k.home, "state", "kinit", "runs")); err != nil {
		t.Fatal(err)
	}
}

// newLab makes a lab for a test, and removes it after the test. A lab that an earlier, killed
// test left is removed first, with what was deployed in it.
func newLab(t testing.TB, k *kinit, name, subnet string, args ...string) {
	t.Helper()
	k.call(t, "lab", "down", "--name", name, "--output", "json")
	k.must(t, slices.Concat([]string{"lab", "up", "--name", name}, args, []string{"--var", "lab_subnet=" + subnet, "--output", "json"})...)
	t.Cleanup(func() { tearDown(t, k, name) })
}

// tearDown removes a lab, also after a failure, unless somebody wants to look.
func tearDown(t testing.TB, k *kinit, lab string) {
	if os.Getenv("KINIT_KEEP_LAB") != "" {
		t.Logf("the lab %s is kept", lab)
		return
	}
	// The test's own context has ended by now.
	ctx, cancel := context.WithTimeout(contextWithoutEnd(), patience)
	defer cancel()
	out, err := k.command(ctx, "lab", "down", "--name", lab).CombinedOutput()
	if err != nil {
		t.Errorf("lab down: %v\n%s", err, tail(string(out), 20))
	}
}
