package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// upstreamsRuntime deploys nodes whose container runtime is not their system's: it comes from a
// mirror of upstream's releases. What the lab's mirror has in them are Debian's programs.
func upstreamsRuntime(t *testing.T, k *kinit, before map[string]map[string]bool) {
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", "nyctea", "--var", "container_runtime=upstream"}

	step(t, "a site without releases of a container runtime is named, with the variable that says it", func(t *testing.T) {
		site := "http://" + labAddress(4) + "/nowhere"
		k.call(t, append(run, "--var", "runtime_url="+site)...).lacks(t, site+"/", "The variable runtime_url names another site")
	})
	step(t, "nodes with upstream's container runtime are Ready", func(t *testing.T) {
		bothReady(t, k.must(t, append(run, "--output", "json")...))
		for _, node := range []string{"k8s-podman-controller-01", "k8s-podman-compute-01"} {
			if diff := cmp.Diff(upstreamsPrograms, on(t, "nyctea", "podman exec "+node+" sh -c '"+whoseRuntime+"'")); diff != "" {
				t.Errorf("the runtime of %s (-want +got):\n%s", node, diff)
			}
		}
	})
	step(t, "its second run changes nothing", func(t *testing.T) { unchanged(t, k, run) })
	step(t, "its clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})

	upstreamsRuntimeOnAMachine(t, k)
}

// upstreamsRuntimeOnAMachine does the same on a machine that exists and has no packages of a
// container runtime. Clean-up takes all of it back.
func upstreamsRuntimeOnAMachine(t *testing.T, k *kinit) {
	run := []string{
		"run", "k8s-podman-1-0-1", "--hosts", "nyctea", "--var", `controller_hosts=["m1"]`,
		"--var", "container_runtime=upstream", "--var", "kubernetes_preinstalled=true",
	}
	inMachine(t, "m1", "systemctl stop containerd.service; dpkg --purge containerd containernetworking-plugins runc && rm -rf /var/lib/containerd /run/containerd /etc/containerd")
	was := machine(t, "m1") + inMachine(t, "m1", tracesOfARuntime)

	step(t, "a machine without packages of a container runtime is Ready with upstream's", func(t *testing.T) {
		if r := k.must(t, append(run, "--output", "json")...); !strings.Contains(r.stdout, "m1=Ready") {
			t.Errorf("the output does not name m1 Ready\n%s", tail(r.stdout, 3))
		}
		if diff := cmp.Diff(upstreamsPrograms, inMachine(t, "m1", whoseRuntime)); diff != "" {
			t.Errorf("the runtime of m1 (-want +got):\n%s", diff)
		}
	})
	step(t, "the second run on the machine changes nothing", func(t *testing.T) { unchanged(t, k, run) })
	step(t, "clean-up takes upstream's runtime from the machine", func(t *testing.T) {
		removed(t, k, run)
		if diff := cmp.Diff(was, machine(t, "m1")+inMachine(t, "m1", tracesOfARuntime)); diff != "" {
			t.Errorf("m1 is not as it was (-want +got):\n%s", diff)
		}
	})
}

// whoseRuntime prints which programs a node runs, by which unit, and how many packages of a
// container runtime it has.
const whoseRuntime = `for program in containerd containerd-shim-runc-v2 ctr crictl runc; do command -v $program; done
systemctl show --property FragmentPath --value containerd.service
readlink /opt/cni/bin/loopback
dpkg-query --show containerd runc containernetworking-plugins 2>/dev/null | wc -l`

const upstreamsPrograms = `/usr/local/bin/containerd
/usr/local/bin/containerd-shim-runc-v2
/usr/local/bin/ctr
/usr/local/bin/crictl
/usr/local/sbin/runc
/etc/systemd/system/containerd.service
/usr/local/lib/kinit/runtime/cni/loopback
0
`

// tracesOfARuntime lists what a container runtime leaves beside what the function machine does.
const tracesOfARuntime = `ls -d /usr/local/lib/kinit /var/lib/containerd /run/containerd /opt/containerd 2>/dev/null
find /usr/local ! -type d | sort`
