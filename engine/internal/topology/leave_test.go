package topology

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leaving is one line for each node that leaves, and for each pool the node that leads it.
func leaving(topo *Topology) []string {
	var lines []string
	for _, l := range topo.Leaving {
		line := fmt.Sprintf("%s %s leaves %s", l.Name, l.IP, l.Hypervisor)
		if l.Returns {
			line += ", returns"
		}
		if l.Destroy {
			line += ", destroyed"
		}
		lines = append(lines, line)
	}
	return append(lines, "controller led by "+topo.Leads["controller"])
}

func TestNodesThatTheSpecNoLongerHasLeave(t *testing.T) {
	t.Parallel()
	wide := recorded(t, clusterOf(3, 2), "h1", "h2")
	all := on(wide, "h1 c-controller-01 c-controller-03 c-compute-02", "h2 c-controller-02 c-compute-01")
	for name, test := range map[string]struct {
		text     string
		leave    Leave
		recreate bool
		want     []string
	}{
		"a compute node": {clusterOf(3, 1), Leave{}, false, []string{"c-compute-02 10.0.0.5 leaves h1", "controller led by c-controller-01"}},
		"controllers": {clusterOf(1, 2), Leave{Destroy: []string{"controller-03"}}, false,
			[]string{"c-controller-02 10.0.0.2 leaves h2", "c-controller-03 10.0.0.3 leaves h1, destroyed", "controller led by c-controller-01"}},
		"nothing, if all is removed first": {clusterOf(1, 1), Leave{}, true, []string{"controller led by c-controller-01"}},
		"one that is named": {clusterOf(3, 2), Leave{Nodes: []string{"controller-01"}, Destroy: []string{"c-controller-01"}}, false,
			[]string{"c-controller-01 10.0.0.1 leaves h1, returns, destroyed", "controller led by c-controller-02"}},
		"all of a hypervisor": {clusterOf(3, 2), Leave{Hypervisors: []string{"h2"}}, false,
			[]string{"c-compute-01 10.0.0.4 leaves h2, returns", "c-controller-02 10.0.0.2 leaves h2, returns", "controller led by c-controller-01"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			topo, diags := expandOver(t, test.text, Input{Hosts: hosts("h1", "h2"), Existing: Merge(all, nil), Leave: test.leave, Recreate: test.recreate})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, leaving(topo)); diff != "" {
				t.Error(diff)
			}
			if test.recreate {
				return
			}
			// A run that was interrupted goes on with the same.
			again, diags := expandOver(t, test.text, Input{Hosts: hosts("h1", "h2"), Existing: Merge(on(parsed(t, topo.Record), "h1", "h2"), nil), Leave: test.leave})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, leaving(again)); diff != "" || again.Record != topo.Record {
				t.Errorf("the second run has the record %s and\n%s", again.Record, diff)
			}
			// What has left leaves once.
			test.leave.Sure = true // that the names are known: the first run has checked them
			after, diags := expandOver(t, test.text, Input{Hosts: hosts("h1", "h2"), Existing: Merge(on(parsed(t, topo.Left), "h1", "h2"), nil), Leave: test.leave})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want[len(test.want)-1:], leaving(after)); diff != "" || after.Record != topo.Left || after.Left != topo.Left {
				t.Errorf("after that a run has the record %s and\n%s", after.Record, diff)
			}
		})
	}
}

func TestANodeThatHasLeftComesBackToItsPlace(t *testing.T) {
	t.Parallel()
	wide := recorded(t, clusterOf(3, 2), "h1", "h2")
	topo, diags := expandOver(t, clusterOf(3, 2), Input{Hosts: hosts("h1", "h2"), Existing: Merge(on(wide, "h1", "h2"), nil), Leave: Leave{Nodes: []string{"c-controller-01"}}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	left := Merge(on(parsed(t, topo.Left), "h1", "h2", "h3"), nil)
	same := places(mustExpand(t, clusterOf(3, 2), "h1", "h2"))
	for name, test := range map[string]struct {
		text, hosts, want string
	}{
		"the same":           {clusterOf(3, 2), "h1 h2", same[0]},
		"another, by itself": {clusterOf(3, 2, `node "controller-01" { hypervisor = "h2" }`), "h1 h2", "c-controller-01 10.0.0.1 h2"},
		"with another host":  {clusterOf(3, 2), "h1 h2 h3", same[0]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			back, diags := expandOver(t, test.text, Input{Hosts: hosts(strings.Fields(test.hosts)...), Existing: left})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if got := places(back)[0]; got != test.want || len(back.Moves) > 0 {
				t.Errorf("%s, moves %v, want %s", got, back.Moves, test.want)
			}
			// It does not lead again: the others know the cluster.
			if diff := cmp.Diff([]string{"controller led by c-controller-02"}, leaving(back)); diff != "" {
				t.Error(diff)
			}
			next, diags := expandOver(t, test.text, Input{Hosts: hosts(strings.Fields(test.hosts)...), Existing: Merge(on(parsed(t, back.Record), "h1", "h2", "h3"), nil)})
			if len(diags) > 0 || next.Record != back.Record || next.Leads["controller"] != "c-controller-02" {
				t.Errorf("the next run: %v, led by %s, record %s", diags, next.Leads["controller"], next.Record)
			}
		})
	}
}

func TestANodeOnALostHostDoesNotLead(t *testing.T) {
	t.Parallel()
	wide := recorded(t, clusterOf(3, 0), "h1", "h2", "h3")
	topo, diags := expandOver(t, clusterOf(3, 0), Input{Hosts: hosts("h2", "h3"), Existing: Merge(on(wide, "h2", "h3"), []string{"h1"})})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff([]string{"c-controller-01 10.0.0.1 leaves h1, returns, destroyed", "controller led by c-controller-02"}, leaving(topo)); diff != "" {
		t.Error(diff)
	}
}

func TestLostHypervisorCanBeEvacuated(t *testing.T) {
	t.Parallel()
	wide := recorded(t, clusterOf(3, 0), "h1", "h2", "h3")
	input := Input{Hosts: hosts("h2", "h3"), Existing: Merge(on(wide, "h2", "h3"), []string{"h1"}), Leave: Leave{Hypervisors: []string{"h1"}}}
	topo, diags := expandOver(t, clusterOf(3, 0), input)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff([]string{"c-controller-01 10.0.0.1 leaves h1, returns, destroyed", "controller led by c-controller-02"}, leaving(topo)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotLeaveIsRefused(t *testing.T) {
	t.Parallel()
	wide := Merge(on(recorded(t, clusterOf(1, 1), "h1", "h2"), "h1", "h2"), nil)
	machines := "cluster \"c\" {\n  pool \"controller\" {\n    driver = \"existing\"\n    hosts = [\"m1\"]\n  }\n}\n"
	for name, test := range map[string]struct {
		text  string
		leave Leave
		want  string
	}{
		"a node that there is not": {clusterOf(1, 1), Leave{Nodes: []string{"compute-02"}}, `spec.hcl:1,1-12: Unknown node: The cluster "c" has no node "compute-02". Did you mean "c-compute-01"? Its nodes are c-compute-01, c-controller-01. If it was removed before, leave the name out.`},
		"a node that may be destroyed, and that there is not": {clusterOf(1, 1), Leave{Destroy: []string{"c-compute-07"}},
			`spec.hcl:1,1-12: Unknown node: The cluster "c" has no node "c-compute-07". Did you mean "c-compute-01"? Its nodes are c-compute-01, c-controller-01. If it was removed before, leave the name out.`},
		"a host that there is not": {clusterOf(1, 1), Leave{Hypervisors: []string{"h3"}}, `spec.hcl:1,1-12: Unknown hypervisor: All nodes are to leave that are on "h3", which is not among the selected hosts. Did you mean "h1" or "h2"?`},
		"a machine that exists": {machines, Leave{Nodes: []string{"m1"}},
			`spec.hcl:4,13-19: Not possible: The node "m1" is a machine that exists already, and it was not reinstalled: it answers with the recorded machine-id, or has none to compare. kinit does not recreate such machines. To take it out of the cluster, leave it out of the pool.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := expandOver(t, test.text, Input{Hosts: hosts("h1", "h2"), Existing: wide, Leave: test.leave})
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNodesThatExistAreThoseThatStay(t *testing.T) {
	t.Parallel()
	wide := recorded(t, clusterOf(3, 2), "h1", "h2")
	made := on(wide, "h1 c-controller-01 c-controller-03 c-compute-02", "h2 c-controller-02 c-compute-01")
	for name, test := range map[string]struct {
		input Input
		want  []string
	}{
		"none of a new cluster":         {Input{}, nil},
		"those that are made":           {Input{Existing: Merge(made, nil)}, []string{"c-controller-01", "c-controller-02", "c-controller-03", "c-compute-01", "c-compute-02"}},
		"none, if all is removed first": {Input{Existing: Merge(made, nil), Recreate: true}, nil},
		"not one that leaves":           {Input{Existing: Merge(made, nil), Leave: Leave{Nodes: []string{"controller-02"}}}, []string{"c-controller-01", "c-controller-03", "c-compute-01", "c-compute-02"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.input.Hosts = hosts("h1", "h2")
			topo, diags := expandOver(t, clusterOf(3, 3), test.input)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, topo.Existing); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNodesOfALostHostLeaveAndComeBackElsewhere(t *testing.T) {
	t.Parallel()
	three := clusterOf(2, 2)
	record := recorded(t, three, "h1", "h2", "h3")
	text := strings.Replace(three, `cluster "c" {`, `cluster "c" {
  hypervisors = 3`, 1)
	first, diags := expandOver(t, text, Input{Hosts: hosts("h2", "h3"), Existing: Merge(on(record, "h2", "h3"), []string{"h1"})})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var leave []string
	for _, l := range first.Leaving {
		leave = append(leave, fmt.Sprintf("%s %s lost %t returns %t destroy %t", l.Name, l.Hypervisor, l.Lost, l.Returns, l.Destroy))
	}
	want := []string{"c-compute-02 h1 lost true returns true destroy true", "c-controller-01 h1 lost true returns true destroy true"}
	if diff := cmp.Diff(want, leave); diff != "" {
		t.Errorf("leaving (-want +got):\n%s", diff)
	}
	if first.Leads["controller"] != "c-controller-02" || first.Pods[0].Hypervisor != "h2" {
		t.Errorf("%s leads, the services are on %s", first.Leads["controller"], first.Pods[0].Hypervisor)
	}

	// After an interrupt the same nodes leave; when they have left, they come back with their addresses.
	again, _ := expandOver(t, text, Input{Hosts: hosts("h2", "h3"), Existing: Merge(on(parsed(t, first.Record), "h2", "h3"), []string{"h1"})})
	if len(again.Leaving) != 2 || again.Record != first.Record {
		t.Errorf("after an interrupt %v leave", again.Leaving)
	}
	second, diags := expandOver(t, text, Input{Hosts: hosts("h2", "h3"), Existing: Merge(on(parsed(t, first.Left), "h2", "h3"), []string{"h1"})})
	if len(diags) > 0 || len(second.Leaving) > 0 {
		t.Fatal(diags, second.Leaving)
	}
	was := map[string]netip.Addr{}
	for _, p := range record.Nodes {
		was[p.Name] = p.IP
	}
	for _, n := range second.Nodes {
		if n.Hypervisor == "h1" || n.IP != was[n.Name] {
			t.Errorf("%s is on %s with %s, and had %s", n.Name, n.Hypervisor, n.IP, was[n.Name])
		}
	}
	if len(second.Nodes) != 4 || second.Leads["controller"] != "c-controller-02" {
		t.Errorf("%d nodes, %s leads", len(second.Nodes), second.Leads["controller"])
	}
}
