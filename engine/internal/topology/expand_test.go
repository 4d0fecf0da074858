package topology

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/internal/inventory"
)

// plan is one line for everything that has an address: name, address, hypervisor.
func plan(topo *Topology) []string {
	var lines []string
	for _, n := range topo.Nodes {
		lines = append(lines, fmt.Sprintf("%s %s %s", n.Name, n.IP, n.Hypervisor))
	}
	for _, p := range topo.Pods {
		lines = append(lines, fmt.Sprintf("%s %s %s", p.Name, p.IP, p.Hypervisor))
	}
	for _, h := range topo.Hypervisors {
		lines = append(lines, fmt.Sprintf("%s %s", h.Management.Name, h.Management.IP))
	}
	return append(lines, fmt.Sprintf("gateway %s", topo.Gateway))
}

// outcome is a cluster, and the lines that show what is expanded of it.
type outcome struct {
	text string
	want []string
}

// expands compares what clusters expand to on hosts.
func expands(t *testing.T, tests map[string]outcome, show func(*Topology) []string, hosts ...string) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, show(mustExpand(t, test.text, hosts...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// nodes shows a line for each node.
func nodes(line func(Node) string) func(*Topology) []string {
	return func(topo *Topology) (lines []string) {
		for _, n := range topo.Nodes {
			lines = append(lines, line(n))
		}
		return lines
	}
}

func TestAddressesGoUpForNodesAndDownForTheRest(t *testing.T) {
	t.Parallel()
	tests := map[string]outcome{
		"the default network": {
			`cluster "c" {
			  pool "a" { count = 2 }
			  pool "b" { count = 1 }
			}`,
			[]string{"c-a-01 10.0.0.1 h1", "c-a-02 10.0.0.2 h2", "c-b-01 10.0.0.3 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"two pods take turns": {
			`cluster "c" { pods = 2 }`,
			[]string{"c-pod-01 10.0.0.253 h1", "c-pod-02 10.0.0.252 h2", "c-h1 10.0.0.251", "c-h2 10.0.0.250", "gateway 10.0.0.254"},
		},
		"no pods": {
			`cluster "c" { pods = 0 }`,
			[]string{"c-h1 10.0.0.253", "c-h2 10.0.0.252", "gateway 10.0.0.254"},
		},
		"the smallest network, full": {
			`cluster "c" {
			  network { cidr = "192.168.7.8/29" }
			  pool "a" { count = 2 }
			}`,
			[]string{"c-a-01 192.168.7.9 h1", "c-a-02 192.168.7.10 h2", "c-pod-01 192.168.7.13 h1", "c-h1 192.168.7.12", "c-h2 192.168.7.11", "gateway 192.168.7.14"},
		},
		"a large network": {
			`cluster "c" {
			  network { cidr = "10.8.0.0/15" }
			  pool "a" {}
			}`,
			[]string{"c-a-01 10.8.0.1 h1", "c-pod-01 10.9.255.253 h1", "c-h1 10.9.255.252", "c-h2 10.9.255.251", "gateway 10.9.255.254"},
		},
		"offsets": {
			`cluster "c" {
			  network {
			    gateway_offset = 1
			    node_offset    = 10
			    pod_offset     = 200
			  }
			  pool "a" {}
			}`,
			[]string{"c-a-01 10.0.0.10 h1", "c-pod-01 10.0.0.200 h1", "c-h1 10.0.0.199", "c-h2 10.0.0.198", "gateway 10.0.0.1"},
		},
	}
	expands(t, tests, plan, "h1", "h2")
}

func TestPlacementSpreadsPoolsAndMinds(t *testing.T) {
	t.Parallel()
	tests := map[string]outcome{
		"each pool is spread, the least loaded first": {
			`cluster "c" {
			  pool "big" {
			    count  = 1
			    memory = "8GiB"
			  }
			  pool "mid" {
			    count  = 4
			    memory = "2GiB"
			  }
			}`,
			[]string{"c-big-01 h1", "c-mid-01 h2", "c-mid-02 h3", "c-mid-03 h1", "c-mid-04 h2"},
		},
		"a pool may be pinned": {
			`cluster "c" {
			  pool "a" {
			    count       = 3
			    hypervisors = ["h3", "h2"]
			  }
			  pool "b" { count = 1 }
			}`,
			[]string{"c-a-01 h2", "c-a-02 h3", "c-a-03 h2", "c-b-01 h1"},
		},
		"a node may have a hypervisor of its own, which counts for the others": {
			`cluster "c" {
			  pool "a" { count = 3 }
			  node "a-01" { hypervisor = "h3" }
			  node "c-a-02" { hypervisor = "h3" }
			}`,
			[]string{"c-a-01 h3", "c-a-02 h3", "c-a-03 h1"},
		},
	}
	expands(t, tests, nodes(func(n Node) string { return n.Name + " " + n.Hypervisor }), "h1", "h2", "h3")
}

func TestANodeHasItsOwnSettingsInPlaceOfItsPools(t *testing.T) {
	t.Parallel()
	topo := mustExpand(t, `cluster "c" {
	  pod "helpers" { hypervisor = "h2" }
	  pod "more" {}
	  pool "a" {
	    count = 2
	    vars  = { zone = "a", rack = 1 }
	  }
	  pool "m" { hosts = ["m1"] }
	  node "a-02" {
	    vcpus  = 7
	    memory = "9GiB"
	    disk   = "90GiB"
	    vars   = { zone = "b" }
	  }
	  node "m1" { vars = { zone = "m" } }
	}`, "h1", "h2")
	var got []string
	for _, n := range topo.Nodes {
		var vars []string
		for _, name := range slices.Sorted(maps.Keys(n.Vars)) {
			vars = append(vars, fmt.Sprintf("%s=%#v", name, n.Vars[name]))
		}
		got = append(got, fmt.Sprintf("%s %d %s %s %s", n.Name, n.VCPUs, n.Memory.Text, n.Disk.Text, strings.Join(vars, " ")))
	}
	for _, p := range topo.Pods {
		got = append(got, p.Name+" "+p.Hypervisor)
	}
	want := []string{
		`c-a-01 2 4GiB 25GiB rack=cty.NumberIntVal(1) zone=cty.StringVal("a")`,
		`c-a-02 7 9GiB 90GiB rack=cty.NumberIntVal(1) zone=cty.StringVal("b")`,
		`m1 2 4GiB 25GiB zone=cty.StringVal("m")`,
		"c-pod-01 h2", "c-pod-02 h1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := map[string]outcome{
		"the cluster's name, the pool's and a number": {
			`cluster "c" {
			  pool "a" { count = 2 }
			}`,
			[]string{"c-a-01 a-01", "c-a-02 a-02"},
		},
		"a pattern": {
			`cluster "c" {
			  pool "a" { name = "c-web%d" }
			  pool "b" { name = "db-%03d" }
			}`,
			[]string{"c-web1 web1", "db-001 db-001"},
		},
		"fifteen letters are not cut": {
			`cluster "prod" {
			  pool "compute" { os = "windows" }
			}`,
			[]string{"prod-compute-01 compute-01"},
		},
		"sixteen letters are cut for Windows": {
			`cluster "prods" {
			  pool "compute" { os = "windows-2022" }
			}`,
			[]string{"prods-com-te-01 compute-01"},
		},
		"a long name stays for others": {
			`cluster "production" {
			  pool "compute" {}
			}`,
			[]string{"production-compute-01 compute-01"},
		},
		"cut names stay unique": {
			`cluster "production" {
			  pool "compute" { os = "windows" }
			  pool "remote" { os = "windows" }
			}`,
			[]string{"productio-te-01 compute-01", "produ5b6c-te-01 remote-01"},
		},
	}
	expands(t, tests, nodes(func(n Node) string { return n.Name + " " + n.Short }), "h1")
}

func TestIdentitiesDependOnClusterAndNameOnly(t *testing.T) {
	t.Parallel()
	small := mustExpand(t, `cluster "c" {
	  pool "a" {}
	}`, "h1")
	large := mustExpand(t, `cluster "c" {
	  network { cidr = "10.1.0.0/24" }
	  pool "a" { count = 100 }
	}`, "h2", "h1")
	other := mustExpand(t, `cluster "d" {
	  pool "a" { name = "c-a-%02d" }
	}`, "h1")
	ids := func(topo *Topology) [3]string {
		n := topo.Nodes[0]
		return [3]string{n.MAC, n.PortID, n.UUID}
	}
	if diff := cmp.Diff(ids(small), ids(large)); diff != "" {
		t.Errorf("the same node differs: %s", diff)
	}
	for i, id := range ids(other) {
		if id == ids(small)[i] {
			t.Errorf("two clusters share %s", id)
		}
	}
	seen := map[string]bool{}
	for _, p := range large.ports() {
		if seen[p.MAC] || !strings.HasPrefix(p.MAC, "52:54:00:") {
			t.Errorf("%s has the address %s", p.Name, p.MAC)
		}
		seen[p.MAC] = true
	}
}

func TestTakenMACIsDerivedAgain(t *testing.T) {
	t.Parallel()
	free := identities{cluster: "c", macs: map[string]bool{}}.mac("a")
	again := identities{cluster: "c", macs: map[string]bool{free: true}}.mac("a")
	if again == free {
		t.Errorf("%s is given twice", free)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"too few hosts": {
			`cluster "c" { hypervisors = 3 }`,
			`spec.hcl:1,1-12: Too few hypervisors: The cluster "c" needs at least 3 hypervisors, and the run has 2 hosts: h1, h2. Name more hosts with --hosts.`,
		},
		"a full network": {
			inCluster(`network { cidr = "10.0.0.0/29" }`, `pool "a" { count = 3 }`),
			`spec.hcl:2,3-10: Network too small: The network 10.0.0.0/29 has 6 addresses, and 3 nodes, 1 pod, 2 hypervisors and the gateway need 7. Give it a shorter prefix.`,
		},
		"offsets that meet": {
			inCluster(`network { node_offset = 253 }`, `pool "a" {}`),
			`spec.hcl:2,3-10: Addresses overlap: By the offsets of the network, c-pod-01 would have the address 10.0.0.253, which is that of c-a-01. Change node_offset, gateway_offset or pod_offset.`,
		},
		"offsets that leave the network": {
			inCluster(`network { pod_offset = 1 }`),
			`spec.hcl:2,3-10: Addresses overlap: By the offsets of the network, the hypervisor h1 would be outside of the network 10.0.0.0/24. Change node_offset, gateway_offset or pod_offset.`,
		},
		"no network": {
			inCluster(`network { cidr = "10.0.0.1" }`),
			`spec.hcl:2,20-30: Invalid network: "10.0.0.1" is no IPv4 network such as 10.0.0.0/24.`,
		},
		"a tiny network": {
			inCluster(`network { cidr = "10.0.0.0/30" }`),
			`spec.hcl:2,20-33: Invalid network: A network has a prefix from /8 to /29; 10.0.0.0/30 has not.`,
		},
		"an address of a network": {
			inCluster(`network { cidr = "10.0.0.7/24" }`),
			`spec.hcl:2,20-33: Invalid network: 10.0.0.7/24 is an address inside of a network; the network is 10.0.0.0/24.`,
		},
		"an unknown pin": {
			inCluster(`pool "a" { hypervisors = ["h11"] }`),
			`spec.hcl:2,28-35: Unknown hypervisor: The nodes of pool "a" may run on "h11", which is not among the selected hosts. Did you mean "h1"?`,
		},
		"a bad size": {
			inCluster(`pool "a" { memory = "4 gigs" }`),
			`spec.hcl:2,23-31: Invalid size: The argument "memory" is no size: "4 gigs" is not a number with a unit such as MiB, GiB or GB.`,
		},
		"a pattern without a number": {
			inCluster(`pool "a" { name = "web" }`),
			`spec.hcl:2,21-26: Invalid name: The name of a pool's nodes has one number, as in "web-%02d".`,
		},
		"two of a name": {
			inCluster(`pool "pod" {}`),
			`spec.hcl:1,1-12: Duplicate name: More than one node, pod or hypervisor would be named c-pod-01. Give a pool another name.`,
		},
		"two pools of a name": {
			inCluster(`pool "a" {}`, `pool "a" {}`),
			`spec.hcl:3,3-11: Duplicate pool: The pool "a" is declared already.`,
		},
		"negative count": {
			inCluster(`pool "a" { count = -1 }`),
			`spec.hcl:2,22-24: Invalid number: The argument "count" is at least 0; it is -1.`,
		},
		"an unknown argument": {
			inCluster(`pool "a" { cpus = 1 }`),
			`spec.hcl:2,14-18: Unsupported argument: An argument named "cpus" is not expected here. Did you mean "vcpus"?`,
		},
		"an unknown driver": {
			inCluster(`pool "a" { driver = "othr" }`),
			`spec.hcl:2,23-29: Unknown driver: There is no driver "othr". Did you mean "other"? The drivers are made, other, existing.`,
		},
		"an unknown driver of the cluster": {
			inCluster(`driver = "kvm"`, `pool "a" {}`),
			`spec.hcl:2,12-17: Unknown driver: There is no driver "kvm". The drivers are made, other, existing.`,
		},
		"hosts and a count": {
			inCluster(`pool "a" {`, `  count = 2`, `  hosts = ["m1", "m2"]`, `}`),
			`spec.hcl:3,13-14: Conflicting arguments: The pool "a" names its hosts, so they are counted: leave count out.`,
		},
		"hosts and a driver that makes nodes": {
			inCluster(`pool "a" {`, `  driver = "made"`, `  hosts  = ["m1"]`, `}`),
			`spec.hcl:4,14-20: Conflicting arguments: The driver "made" makes the nodes of pool "a", so the pool has a count. Machines that exist already are for the driver "existing": leave hosts or driver out.`,
		},
		"machines without names": {
			inCluster(`driver = "existing"`, `pool "a" { count = 1 }`),
			`spec.hcl:3,3-11: Missing argument: The nodes of pool "a" are machines that exist already, by the driver "existing". Name them as the inventory does, as in hosts = ["m1", "m2"].`,
		},
		"an unknown machine": {
			inCluster(`pool "a" { hosts = ["m11"] }`),
			`spec.hcl:2,22-29: Unknown host: The pool "a" names the machine "m11", which is in no inventory. Did you mean "m1"?`,
		},
		"a machine in two pools": {
			inCluster(`pool "a" { hosts = ["m1"] }`, `pool "b" { hosts = ["m2", "m1"] }`),
			`spec.hcl:3,22-34: Duplicate machine: The machine "m1" is in pool "a" already. Name it once.`,
		},
		"a machine that is a hypervisor": {
			inCluster(`pool "a" { hosts = ["h1"] }`),
			`spec.hcl:2,22-28: Conflicting roles: The machine "h1" is a node of pool "a" and a hypervisor of this run, whose services would take the node's ports. Name the hypervisors by --hosts without it, or leave it out of the pool.`,
		},
		"a machine without an IP address": {
			inCluster(`pool "a" { hosts = ["m3"] }`),
			`spec.hcl:2,22-28: No address: The machine "m3" is reached by "m3.example", which is no IPv4 address. Say in its inventory by which one the other nodes reach it, as in vars = { node_address = "192.0.2.5" }.`,
		},
		"a machine with Windows in a pool of Linux": {
			inCluster(`pool "a" {`, `  hosts = ["w1"]`, `  os    = "debian-12"`, `}`),
			`spec.hcl:3,13-19: Another system: The machine "w1" runs windows by its inventory, and the pool "a" has the os "debian-12". Name another machine, or leave os out where the pool may have machines of any system.`,
		},
		"a machine with Linux in a pool of Windows": {
			inCluster(`pool "a" {`, `  hosts = ["m1"]`, `  os    = "windows-2022"`, `}`),
			`spec.hcl:3,13-19: Another system: The machine "m1" runs linux by its inventory, and the pool "a" has the os "windows-2022". Name another machine, or leave os out where the pool may have machines of any system.`,
		},
		"overlay without machines": {
			inCluster(`pool "a" {`, `  count   = 1`, `  overlay = true`, `}`),
			`spec.hcl:4,15-19: Conflicting arguments: The pool "a" names no hosts, and nodes that a driver makes are always on the cluster's overlay: leave overlay out.`,
		},
		"overlay of a machine with Windows": {
			inCluster(`pool "a" {`, `  hosts   = ["m1", "w1"]`, `  overlay = true`, `}`),
			`spec.hcl:4,15-19: Not possible yet: The machine "w1" of pool "a" runs windows, and kinit takes machines with Linux alone onto the overlay. Name it in a pool without overlay: it is reached beside the overlay then.`,
		},
		"overlay that is neither true nor false": {
			inCluster(`pool "a" {`, `  hosts   = ["m1"]`, `  overlay = "yes"`, `}`),
			`spec.hcl:4,16-19: Unsuitable value type: Unsuitable value: a bool is required`,
		},
		"settings of a node that does not exist": {
			inCluster(`pool "a" { count = 2 }`, `node "a-03" {}`),
			`spec.hcl:3,3-14: Unknown node: The cluster has no node "a-03". Its nodes are c-a-01, c-a-02.`,
		},
		"a node's hypervisor is not selected": {
			inCluster(`pool "a" {}`, `node "a-01" { hypervisor = "h4" }`),
			`spec.hcl:3,30-34: Unknown hypervisor: The node "c-a-01" runs on "h4", which is not among the selected hosts. Did you mean "h1" or "h2"?`,
		},
		"a machine with a hypervisor": {
			inCluster(`pool "a" { hosts = ["m1"] }`, `node "m1" { hypervisor = "h1" }`),
			`spec.hcl:3,28-32: Conflicting arguments: The node "m1" is a machine that exists already and runs on no hypervisor: leave hypervisor out.`,
		},
		"a node twice, of no size": {
			inCluster(`pool "a" {}`, `node "a-01" { memory = "much" }`, `node "a-01" { vcpus = 0 }`),
			`spec.hcl:3,26-32: Invalid size: The argument "memory" is no size: "much" is not a number with a unit such as MiB, GiB or GB.
spec.hcl:4,3-14: Duplicate node: The node "a-01" has a block already.
spec.hcl:4,25-26: Invalid number: The argument "vcpus" is at least 1; it is 0.`,
		},
		"a pod on a host that is not selected": {
			inCluster(`pod "helpers" { hypervisor = "h9" }`),
			`spec.hcl:2,32-36: Unknown hypervisor: The pod "helpers" runs on "h9", which is not among the selected hosts. Did you mean "h1" or "h2"?`,
		},
		"pods twice": {
			inCluster(`pods = 2`, `pod "helpers" {}`, `pod "helpers" {}`),
			`spec.hcl:3,3-16: Conflicting arguments: A cluster has a number of pods or blocks of them. Leave pods out.
spec.hcl:4,3-16: Duplicate pod: The pod "helpers" has a block already.`,
		},
		"no host name": {
			`cluster "C" {}`,
			`spec.hcl:1,1-12: Invalid name: The name "C" of a cluster becomes a part of host names: it has lower case letters, digits and - only, 63 at most, and starts and ends with none of the latter.`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := expand(t, test.text, "h1", "h2")
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoHostsIsTold(t *testing.T) {
	t.Parallel()
	_, diags := Expand(Input{Cluster: Cluster{Name: "c", Hypervisors: 1}, Inventory: &inventory.Inventory{}})
	if got := diags[0].Detail; got != `The cluster "c" needs at least 1 hypervisor, and the run has 0 hosts. Name more hosts with --hosts.` {
		t.Error(got)
	}
}

func TestMachinesThatExistKeepTheirNamesAndTakeNoAddressOfTheNetwork(t *testing.T) {
	t.Parallel()
	topo := mustExpand(t, `cluster "c" {
	  driver = "other"
	  pool "a" { hosts = ["m2", "m4"] }
	  pool "b" { count = 1 }
	  pool "d" {
	    driver = "made"
	    count  = 1
	  }
	}`, "h1", "h2")
	var got []string
	for _, n := range topo.Nodes {
		got = append(got, fmt.Sprintf("%s %s %s %t %s", n.Name, n.Driver, n.IP, n.Overlay, n.Hypervisor))
	}
	want := []string{
		"m2 existing 192.0.2.2 false ", "m4 existing 192.0.2.4 false ",
		"c-b-01 other 10.0.0.1 true h1", "c-d-01 made 10.0.0.2 true h2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMachinesOnTheOverlayHaveAPlaceOfTheNetwork(t *testing.T) {
	t.Parallel()
	topo := mustExpand(t, `cluster "c" {
	  pool "a" {
	    hosts   = ["m3", "m1"]
	    overlay = true
	  }
	  pool "b" {
	    hosts   = ["m2"]
	    overlay = false
	  }
	  pool "d" {
	    count   = 1
	    overlay = null
	  }
	}`, "h1")
	var got []string
	for _, n := range topo.Nodes {
		got = append(got, fmt.Sprintf("%s %s %t %t %s", n.Name, n.IP, n.Overlay, n.MAC != "" && n.PortID != "", n.Hypervisor))
	}
	want := []string{"m3 10.0.0.1 true true ", "m1 10.0.0.2 true true ", "m2 192.0.2.2 false false ", "c-d-01 10.0.0.3 true true h1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMachinesThatExistRunWhatTheirInventorySays(t *testing.T) {
	t.Parallel()
	topo := mustExpand(t, `cluster "c" {
	  pool "a" { hosts = ["w1", "w2", "m1", "m5"] }
	  pool "b" { count = 1 }
	}`, "h1")
	var got []string
	for _, n := range topo.Nodes {
		got = append(got, n.Name+" "+n.OS)
	}
	if diff := cmp.Diff([]string{"w1 windows", "w2 windows", "m1 linux", "m5 linux", "c-b-01 linux"}, got); diff != "" {
		t.Error(diff)
	}
	said := mustExpand(t, `cluster "c" {
	  pool "a" {
	    hosts = ["w1"]
	    os    = "windows-2022"
	  }
	}`, "h1")
	if os := said.Nodes[0].OS; os != "windows-2022" {
		t.Errorf("the pool says windows-2022, and the node has %s", os)
	}
}
