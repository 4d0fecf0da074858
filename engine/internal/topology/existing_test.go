package topology

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cluster is a block with a number of controllers and compute nodes.
func clusterOf(controllers, computes int, more ...string) string {
	return fmt.Sprintf(`cluster "c" {
	  pool "controller" { count = %d }
	  pool "compute" { count = %d }
	  %s
	}`, controllers, computes, strings.Join(more, "\n"))
}

// recorded is the record that a run of a cluster leaves on its hosts.
func recorded(t *testing.T, text string, names ...string) *Record {
	t.Helper()
	return parsed(t, mustExpand(t, text, names...).Record)
}

func parsed(t *testing.T, text string) *Record {
	t.Helper()
	r, err := ParseRecord([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// on makes answers of hosts that all have the record, and each has some nodes: "h1 c-a-01 c-a-02".
func on(r *Record, hosts ...string) []Answer {
	var all []Answer
	for _, text := range hosts {
		words := strings.Fields(text)
		all = append(all, Answer{Host: words[0], Record: r, Nodes: found(words[1:]...), Told: true})
	}
	return all
}

// found are nodes that a driver has found.
func found(names ...string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = "guest"
	}
	return all
}

// places is one line for each part of a cluster, and each move.
func places(topo *Topology) []string {
	lines := plan(topo)
	for _, m := range topo.Moves {
		lines = append(lines, fmt.Sprintf("%s moves from %s to %s", m.Node, m.From, m.To))
	}
	return lines
}

func TestWhatExistsStays(t *testing.T) {
	t.Parallel()
	small := recorded(t, clusterOf(1, 1), "h1", "h2")
	three := recorded(t, clusterOf(3, 1), "h1", "h2")
	tests := map[string]struct {
		text      string
		hosts     string
		answers   []Answer
		lost      []string
		rebalance bool
		want      []string
	}{
		"controllers are added": {
			clusterOf(3, 1), "h1 h2", on(small, "h1 c-controller-01", "h2 c-compute-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-controller-02 10.0.0.3 h2", "c-controller-03 10.0.0.4 h1", "c-compute-01 10.0.0.2 h2",
				"c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a hypervisor is added": {
			clusterOf(1, 2), "h0 h1 h2", on(small, "h0", "h1 c-controller-01", "h2 c-compute-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-compute-02 10.0.0.3 h0",
				"c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "c-h0 10.0.0.250", "gateway 10.0.0.254"},
		},
		"a node that has left gives its address back when it is gone": {
			clusterOf(1, 2), "h1 h2", on(three, "h1 c-controller-01 c-controller-03", "h2 c-controller-02 c-compute-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.4 h2", "c-compute-02 10.0.0.5 h1",
				"c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"an address is free again": {
			clusterOf(1, 3), "h1 h2", on(&Record{Generation: 7, Nodes: []Place{{Name: "c-controller-01", Hypervisor: "h1", IP: addr("10.0.0.1")}, {Name: "c-compute-01", Hypervisor: "h2", IP: addr("10.0.0.4")}},
				Hypervisors: []Place{{Name: "h1", IP: addr("10.0.0.252")}, {Name: "h2", IP: addr("10.0.0.251")}}, Pods: []Place{{Name: "c-pod-01", Hypervisor: "h1", IP: addr("10.0.0.253")}}}, "h1", "h2"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.4 h2", "c-compute-02 10.0.0.2 h1", "c-compute-03 10.0.0.3 h2",
				"c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a node's own hypervisor moves it, and no other": {
			clusterOf(1, 1, `node "compute-01" { hypervisor = "h1" }`), "h1 h2", on(small, "h1 c-controller-01", "h2 c-compute-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254",
				"c-compute-01 moves from h2 to h1"},
		},
		"a moved node stays when its setting goes": {
			clusterOf(1, 1), "h1 h2", on(recorded(t, clusterOf(1, 1, `node "compute-01" { hypervisor = "h1" }`), "h1", "h2"), "h1 c-controller-01 c-compute-01", "h2"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a pool's hypervisors are for new nodes": {
			`cluster "c" {
			  pool "controller" { count = 1 }
			  pool "compute" {
			    count       = 2
			    hypervisors = ["h1"]
			  }
			}`, "h1 h2", on(small, "h1 c-controller-01", "h2 c-compute-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-compute-02 10.0.0.3 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a pod's own hypervisor moves it": {
			clusterOf(1, 1, `pod "services" { hypervisor = "h2" }`), "h1 h2", on(small, "h1", "h2"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-pod-01 10.0.0.253 h2", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"nodes move to be spread again, and no more than needed": {
			clusterOf(0, 5), "h1 h2 h3", on(&Record{Generation: 2, Hypervisors: []Place{{Name: "h1"}, {Name: "h2"}}, Nodes: []Place{
				{Name: "c-compute-01", Hypervisor: "h2"}, {Name: "c-compute-02", Hypervisor: "h1"}, {Name: "c-compute-03", Hypervisor: "h2"},
				{Name: "c-compute-04", Hypervisor: "h1"}, {Name: "c-compute-05", Hypervisor: "h2"},
			}}, "h1", "h2", "h3"), nil, true,
			[]string{"c-compute-01 10.0.0.1 h2", "c-compute-02 10.0.0.2 h1", "c-compute-03 10.0.0.3 h2", "c-compute-04 10.0.0.4 h1", "c-compute-05 10.0.0.5 h3",
				"c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "c-h3 10.0.0.250", "gateway 10.0.0.254", "c-compute-05 moves from h2 to h3"},
		},
		"what is spread evenly does not move": {
			clusterOf(1, 1), "h1 h2", on(small, "h1 c-controller-01", "h2 c-compute-01"), nil, true,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a hypervisor without any of it may be left out": {
			clusterOf(1, 0), "h1", on(recorded(t, clusterOf(1, 0), "h1", "h2"), "h1 c-controller-01"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "gateway 10.0.0.254"},
		},
		"a node that somebody has moved is where it is": {
			clusterOf(1, 1), "h1 h2", on(small, "h1 c-controller-01 c-compute-01", "h2"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a host that cannot say what it has is believed to have what is recorded": {
			clusterOf(1, 1), "h1 h2", []Answer{{Host: "h1", Record: small, Nodes: found("c-compute-01"), Told: true}, {Host: "h2"}}, nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"the record of the last run is the valid one, as after a run that was killed": {
			clusterOf(1, 1), "h1 h2", []Answer{{Host: "h1", Record: small, Told: true}, {Host: "h2", Told: true, Record: later(parsed(t, small.Text()), func(r *Record) {
				r.Nodes[0].Hypervisor = "h1" // c-compute-01
			})}}, nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h1", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.0.254"},
		},
		"a cluster without a record keeps the order of hosts, and its nodes": {
			clusterOf(1, 1), "h2 h1", []Answer{{Host: "h1", Nodes: found("c-controller-01"), Told: true}, {Host: "h2", Nodes: found("c-compute-01"), Told: true}}, nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-compute-01 10.0.0.2 h2", "c-pod-01 10.0.0.253 h2", "c-h2 10.0.0.252", "c-h1 10.0.0.251", "gateway 10.0.0.254"},
		},
		"another network has other addresses, and moves nothing": {
			clusterOf(1, 1, `network { cidr = "10.9.0.0/24" }`), "h1 h2", on(recorded(t, clusterOf(1, 1, `node "compute-01" { hypervisor = "h1" }`), "h1", "h2"), "h1", "h2"), nil, false,
			[]string{"c-controller-01 10.9.0.1 h1", "c-compute-01 10.9.0.2 h1", "c-pod-01 10.9.0.253 h1", "c-h1 10.9.0.252", "c-h2 10.9.0.251", "gateway 10.9.0.254"},
		},
		"a larger network keeps addresses": {
			clusterOf(2, 1, `network { cidr = "10.0.0.0/23" }`), "h1 h2", on(small, "h1", "h2"), nil, false,
			[]string{"c-controller-01 10.0.0.1 h1", "c-controller-02 10.0.0.3 h2", "c-compute-01 10.0.0.2 h2", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "c-h2 10.0.0.251", "gateway 10.0.1.254"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names := strings.Fields(test.hosts)
			in := Input{Hosts: hosts(names...), Existing: Merge(test.answers, test.lost), Rebalance: test.rebalance}
			topo, diags := expandOver(t, test.text, in)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, places(topo)); diff != "" {
				t.Error(diff)
			}

			// The next run has what this one has recorded, and whatever its order of hosts it changes nothing.
			slices.Reverse(names)
			r := parsed(t, topo.Record)
			again, diags := expandOver(t, test.text, Input{Hosts: hosts(names...), Existing: Merge(on(r, names...), nil), Rebalance: test.rebalance})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(topo.Record, again.Record); diff != "" || len(again.Moves) > 0 {
				t.Errorf("the second run has moves %v, and the record\n%s", again.Moves, diff)
			}
			want := slices.DeleteFunc(test.want, func(line string) bool { return strings.Contains(line, " moves ") })
			if diff := cmp.Diff(want, places(again)); diff != "" {
				t.Errorf("the second run\n%s", diff)
			}
		})
	}
}

// later is a record of a later generation, with a change.
func later(r *Record, change func(*Record)) *Record {
	change(r)
	r.Generation++
	return r
}

func TestTheOrderOfHostsMeansNothing(t *testing.T) {
	t.Parallel()
	want := mustExpand(t, clusterOf(3, 2), "h1", "h2", "h3").Record
	for _, names := range [][]string{{"h3", "h2", "h1"}, {"h2", "h1", "h3"}, {"h2", "h3", "h1"}} {
		if diff := cmp.Diff(want, mustExpand(t, clusterOf(3, 2), names...).Record); diff != "" {
			t.Errorf("%v: %s", names, diff)
		}
	}
}

func TestWhatExistsKeepsItsEthernetAddressAndItsName(t *testing.T) {
	t.Parallel()
	const windows = `cluster "production" {
	  pool "compute" {
	    count = 1
	    os    = "windows-2022"
	  }
	}`
	r := recorded(t, windows, "h1")
	want := Place{Name: "productio-te-01", Long: "production-compute-01", Pool: "compute", Driver: "made", Hypervisor: "h1", IP: addr("10.0.0.1"), MAC: "52:54:00:b0:54:0e", Leads: true}
	if diff := cmp.Diff([]Place{want}, r.Nodes, comparableAddr); diff != "" {
		t.Error(diff)
	}
	// Another pool comes before it, with the same short names.
	r.Nodes[0].MAC = "52:54:00:00:00:01"
	topo, diags := expandOver(t, `cluster "production" {
	  pool "remote" {
	    count = 1
	    os    = "windows-2022"
	    name  = "production-remote-%02d"
	  }
	  pool "compute" {
	    count = 1
	    os    = "windows-2022"
	  }
	}`, Input{Hosts: hosts("h1"), Existing: Merge(on(r, "h1"), nil)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if n := topo.Nodes[1]; n.Name != "productio-te-01" || n.MAC != "52:54:00:00:00:01" || n.IP != addr("10.0.0.1") {
		t.Errorf("the node is %s %s %s", n.Name, n.MAC, n.IP)
	}
	if n := topo.Nodes[0]; n.Name == "productio-te-01" || n.IP != addr("10.0.0.2") {
		t.Errorf("the new node is %s %s", n.Name, n.IP)
	}
}

func TestMachinesOnTheOverlayKeepTheirAddresses(t *testing.T) {
	t.Parallel()
	const text = `cluster "c" {
	  pool "a" {
	    hosts   = ["m2", HOSTS]
	    overlay = true
	  }
	}`
	r := recorded(t, strings.ReplaceAll(text, "HOSTS", `"m1"`), "h1")
	topo, diags := expandOver(t, strings.ReplaceAll(text, "HOSTS", `"m4", "m1"`), Input{Hosts: hosts("h1"), Existing: Merge(on(r, "h1"), nil)})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := []string{"m2 10.0.0.1 ", "m4 10.0.0.3 ", "m1 10.0.0.2 ", "c-pod-01 10.0.0.253 h1", "c-h1 10.0.0.252", "gateway 10.0.0.254"}
	if diff := cmp.Diff(want, places(topo)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatDoesNotGoWithTheHostsIsRefused(t *testing.T) {
	t.Parallel()
	small := recorded(t, clusterOf(1, 1), "h1", "h2")
	gone := errors.New("connection refused")
	for name, test := range map[string]struct {
		text    string
		hosts   string
		answers []Answer
		want    string
		cause   error
	}{
		"a node is on two hypervisors": {clusterOf(1, 1), "h1 h2", on(small, "h1 c-controller-01 c-compute-01", "h2 c-compute-01"),
			`spec.hcl:1,1-12: Node exists twice: The node "c-compute-01" is on h1 and on h2, each with its address and its MAC. Nothing was changed. kinit does not know which copy has the data: look at them first. Say which one stays: to keep the one on h1, give --set node.compute-01.hypervisor=h1 --remove compute-01@h2; to keep the one on h2, give --set node.compute-01.hypervisor=h2 --remove compute-01@h1. Clean-up removes the other with its data.`, ErrExisting},
		"it is said which one stays":       {clusterOf(1, 1, `node "c-compute-01" { hypervisor = "h1" }`), "h1 h2", on(small, "h1 c-controller-01 c-compute-01", "h2 c-compute-01"), "", nil},
		"a node that leaves may be on two": {clusterOf(1, 0), "h1 h2", on(small, "h1 c-controller-01 c-compute-01", "h2 c-compute-01"), "", nil},
		"addresses of nodes that leave are used until they have left": {clusterOf(0, 2, `network { cidr = "10.0.0.0/29" }`), "h1",
			on(recorded(t, clusterOf(2, 1, `network { cidr = "10.0.0.0/29" }`), "h1"), "h1"),
			`spec.hcl:4,4-11: Network too small: The network 10.0.0.0/29 has 6 addresses, and 2 nodes, 1 pod, 1 hypervisor, the gateway and 2 nodes that leave need 7. Give it a shorter prefix, or let nodes leave in a run before.`, nil},
		"a host is not of the run": {clusterOf(1, 1), "h1 h3", on(small, "h1 c-controller-01", "h3"),
			`spec.hcl:1,1-12: Hypervisor missing: The cluster "c" has on h2: c-compute-01. The run does not have that host: name it by --hosts too. If it does not come back, give --lost h2: its nodes are recreated empty on other hosts.`, ErrExisting},
		"a node that leaves is on a host that is not of the run": {clusterOf(1, 0), "h1", on(small, "h1 c-controller-01"),
			`spec.hcl:1,1-12: Hypervisor missing: The cluster "c" has on h2: c-compute-01. The run does not have that host: name it by --hosts too. If it does not come back, give --lost h2: its nodes are recreated empty on other hosts.`, ErrExisting},
		"a host on which a node is to be is not of the run": {clusterOf(1, 1, `node "compute-01" { hypervisor = "h2" }`), "h1", on(small, "h1 c-controller-01"),
			`spec.hcl:1,1-12: Hypervisor missing: The cluster "c" has on h2: c-compute-01. The run does not have that host: name it by --hosts too. If it does not come back, give the node "compute-01" another hypervisor than h2, and give --lost h2: its nodes are recreated empty on other hosts.`, ErrExisting},
		"the first host is not of the run": {clusterOf(1, 1, `node "controller-01" { hypervisor = "h2" }`), "h2", on(small, "h2 c-compute-01"),
			`spec.hcl:1,1-12: Hypervisor missing: The cluster "c" has on h1: what the cluster's first hypervisor keeps, such as its keys, c-pod-01, c-controller-01. The run does not have that host: name it by --hosts too. If it does not come back, give --lost h1: its nodes are recreated empty on other hosts.`, ErrExisting},
		"a host does not answer": {clusterOf(1, 1), "h1 h2", []Answer{{Host: "h1", Record: small, Told: true}, {Host: "h2", Err: gone}},
			`spec.hcl:1,1-12: Hypervisor does not answer: The cluster "c" has on h2: c-compute-01. That host does not answer: connection refused. Check its address and port in the inventory first. If it does not come back, make sure that it is off, or its nodes run twice, and give --lost h2: its nodes are recreated empty on other hosts.`, gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			topo, diags := expandOver(t, test.text, Input{Hosts: hosts(strings.Fields(test.hosts)...), Existing: Merge(test.answers, nil)})
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
			if test.cause != nil && (!diags.Is(test.cause) || !diags.Is(ErrExisting)) {
				t.Errorf("the cause is %v", diags[0].Cause)
			}
			if test.want == "" && len(topo.Moves) > 0 {
				t.Errorf("moves %v", topo.Moves)
			}
		})
	}
}

func TestANodeThatExistsTwiceIsNotReplaced(t *testing.T) {
	t.Parallel()
	small := recorded(t, clusterOf(1, 1), "h1", "h2")
	answers := on(small, "h1 c-controller-01 c-compute-01", "h2 c-compute-01")
	_, diags := expandOver(t, clusterOf(1, 1), Input{Hosts: hosts("h1", "h2"), Existing: Merge(answers, nil), Leave: Leave{Nodes: []string{"compute-01"}}})
	if !diags.HasErrors() || diags[0].Summary != "Node exists twice" {
		t.Errorf("%v", diags)
	}
}

func TestTwoNamesForOneAddressAreNotTwoCopiesOfANode(t *testing.T) {
	t.Parallel()
	small := recorded(t, clusterOf(1, 1), "h1", "h2")
	answers := on(small, "h1 c-controller-01", "h2 c-compute-01", "h2b c-compute-01")
	answers[1].Twins, answers[2].Twins = []string{"h2b"}, []string{"h2"}
	_, diags := expandOver(t, clusterOf(1, 1), Input{Hosts: hosts("h1", "h2", "h2b"), Existing: Merge(answers, nil)})
	want := `spec.hcl:1,1-12: Same machine twice: The names "h2" and "h2b" have the same address and port in the inventory, so the node "c-compute-01" seems to exist twice. Nothing was changed. Leave out "h2b", in --hosts and in the pools.`
	if diff := cmp.Diff(want, diags.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestARecordOfAnotherVersionIsNotRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"version": 3, "cluster": "c"}`: "it has the version 3, and this kinit reads the versions 1 to 2",
		`{`:                              "unexpected end of JSON input",
	} {
		if _, err := ParseRecord([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

var comparableAddr = cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
