package e2e

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// withAMachineOnTheOverlay is the life of a cluster of a container, a machine on the overlay
// and one beside it. The steps stand on each other.
func withAMachineOnTheOverlay(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman", "--machines", machines)
	spec := []string{"test/e2e/testdata/overlay.hcl", "--hosts", hosts}
	run := slices.Concat([]string{"run"}, spec)
	hypervisors := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	before := map[string]string{}
	for _, name := range []string{"m1", "m2"} {
		before[name] = machine(t, name) + vswitch(t, name)
	}

	step(t, "a machine that is a chassis of somebody else is refused", func(t *testing.T) {
		inMachine(t, "m1", "ovs-vsctl set Open_vSwitch . external_ids:ovn-remote=tcp:192.0.2.9:6642")
		r := k.call(t, append(run, "--stop-after", "validate", "--output", "quiet")...)
		r.refuses(t, 1, "this machine is a chassis of an OVN that kinit did not make (ovn-remote is tcp:192.0.2.9:6642)")
		inMachine(t, "m1", "ovs-vsctl remove Open_vSwitch . external_ids ovn-remote")
		if is := machine(t, "m1") + vswitch(t, "m1"); is != before["m1"] {
			t.Errorf("m1 is not as it was:\n%s\nbefore:\n%s", is, before["m1"])
		}
	})

	step(t, "pods of a container, of a machine on the overlay and of one beside it reach each other", func(t *testing.T) {
		r := k.must(t, append(run, "--output", "json")...)
		if want := "k8s-controller-01=Ready m1=Ready m2=Ready"; !strings.Contains(r.stdout, want) {
			t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
		}
	})

	api := newAPI(t, k, spec)

	step(t, "the machine on the overlay has an address of the cluster's network, the other its own", func(t *testing.T) {
		network := netip.MustParsePrefix("10.0.0.0/24")
		for name, want := range map[string]bool{"k8s-controller-01": true, "m1": true, "m2": false} {
			said := api.get(t, "node", name, "--output", `jsonpath={.status.addresses[?(@.type=="InternalIP")].address}`)
			address, err := netip.ParseAddr(said)
			if err != nil || network.Contains(address) != want {
				t.Errorf("%s has the address %q, on the cluster's network: want %t", name, said, want)
			}
		}
	})

	step(t, "the second run changes nothing", func(t *testing.T) {
		unchanged(t, k, run)
	})

	step(t, "a node does not move from the overlay to its own network", func(t *testing.T) {
		r := k.call(t, "run", "k8s-podman-1-1-1", "--hosts", hosts, "--var", `compute_hosts=["m1"]`, "--remove", "m1,m2", "--stop-after", "validate", "--output", "quiet")
		r.refuses(t, 1, "this machine is a node of the cluster with its address on the overlay, and is wanted beside it")
	})

	step(t, "the machine on the overlay comes back after a restart", func(t *testing.T) {
		restart(t, "m1")
		// The cluster takes some time to notice that a node is away.
		inMachine(t, "m1", `for i in $(seq 120); do systemctl is-active --quiet ssh.service kubelet.service kinit-k8s-devices.service kinit-k8s-beside.service && exit 0; sleep 1; done; systemctl --failed; exit 1`)
		api.await(t, "m1")
		unchanged(t, k, run)
	})

	step(t, "clean-up takes back what was done, and leaves the machine's own switch", func(t *testing.T) {
		removed(t, k, run)
		for name, was := range before {
			if is := machine(t, name) + vswitch(t, name); is != was {
				t.Errorf("%s is not as it was:\n%s\nbefore:\n%s", name, is, was)
			}
		}
		asBefore(t, hypervisors)
	})
}

// inMachine runs a script on a machine that exists.
func inMachine(t *testing.T, name, script string) string {
	t.Helper()
	return inside(t, "kinit-"+labName+"-"+name, name, script)
}

// vswitch is what a deployment could leave in a machine's Open vSwitch. The lab's machines
// have their address on a bridge of it, which is not kinit's.
func vswitch(t *testing.T, name string) string {
	t.Helper()
	return inMachine(t, name, `
for bridge in $(ovs-vsctl list-br); do echo "$bridge: $(ovs-vsctl list-ports "$bridge" | sort | tr '\n' ' ')"; done
ovs-vsctl get Open_vSwitch . external_ids ssl other_config
systemctl is-active openvswitch-switch.service ovn-host.service ovn-controller.service || true
`)
}
