package topology

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// restored expands a cluster over what hosts have, with a backup.
func restored(t *testing.T, answers []Answer, r Restore, destroy ...string) *Topology {
	t.Helper()
	topo, diags := expandOver(t, clusterOf(2, 1), Input{Hosts: hosts("h1", "h2"), Existing: Merge(answers, nil), Restore: r, Leave: Leave{Destroy: destroy}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return topo
}

func TestRestoreRecreatesAPoolOnceAndRecordsIt(t *testing.T) {
	t.Parallel()
	before := recorded(t, clusterOf(2, 1), "h1", "h2")
	backup := Restore{ID: "b1", Pool: "controller"}
	there := map[string]string{"c-controller-01": "h1", "c-compute-01": "h1"}
	lost := on(before, "h1 c-controller-01 c-compute-01", "h2")

	topo := restored(t, lost, backup, "controller-01")
	want := Restoring{ID: "b1", Recreate: []string{"c-controller-01", "c-controller-02"}, There: there, Destroy: []string{"c-controller-01"}}
	if diff := cmp.Diff(want, topo.Restore); diff != "" {
		t.Error(diff)
	}
	begun := parsed(t, topo.Record)
	if begun.Restore != "b1" || begun.Generation != before.Generation+1 {
		t.Errorf("the record has the restore %q and the generation %d", begun.Restore, begun.Generation)
	}

	// An interrupted restore continues: its second attempt keeps the nodes that the first one made.
	again := restored(t, on(begun, "h1 c-controller-01 c-compute-01", "h2"), backup)
	if diff := cmp.Diff(Restoring{ID: "b1", Begun: "b1", There: there}, again.Restore); diff != "" {
		t.Error(diff)
	}
	if again.Record != topo.Record {
		t.Errorf("the record changes:\n%s", again.Record)
	}
	// A run without the backup sees it, and keeps it in the record, too.
	without := restored(t, on(begun, "h1", "h2"), Restore{})
	if without.Restore.Begun != "b1" || parsed(t, without.Record).Restore != "b1" || without.Restore.Recreate != nil {
		t.Errorf("without the backup: %+v", without.Restore)
	}
	// Another backup starts over.
	if other := restored(t, on(begun, "h1", "h2"), Restore{ID: "b2", Pool: "controller"}); len(other.Restore.Recreate) != 2 {
		t.Errorf("another backup recreates %v", other.Restore.Recreate)
	}

	// What is left in the end is what an ordinary run records.
	ended := parsed(t, again.Left)
	next := restored(t, on(ended, "h1 c-controller-01 c-compute-01", "h2 c-controller-02"), Restore{})
	if ended.Restore != "" || next.Record != again.Left || next.Restore.Begun != "" {
		t.Errorf("the next run records\n%s", next.Record)
	}
}

func TestMachinesOfARestoredPoolAreNotRecreated(t *testing.T) {
	t.Parallel()
	const text = `cluster "c" {
	  pool "controller" { hosts = ["m1", "m2"] }
	}`
	topo, diags := expandOver(t, text, Input{Hosts: hosts("h1"), Restore: Restore{ID: "b1", Pool: "controller"}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(Restoring{ID: "b1", Machines: []string{"m1", "m2"}, There: map[string]string{}}, topo.Restore); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreRecreatesNodesOfALostHostAtOnce(t *testing.T) {
	t.Parallel()
	before := recorded(t, clusterOf(2, 1), "h1", "h2", "h3")
	topo, diags := expandOver(t, clusterOf(2, 1), Input{
		Hosts: hosts("h2", "h3"), Existing: Merge(on(before, "h2", "h3 c-compute-01"), []string{"h1"}), Restore: Restore{ID: "b1", Pool: "controller"},
	})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if len(topo.Leaving) > 0 || len(topo.Nodes) != 3 {
		t.Errorf("%v leave, and there are %d nodes", topo.Leaving, len(topo.Nodes))
	}
	was := map[string]netip.Addr{}
	for _, p := range before.Nodes {
		was[p.Name] = p.IP
	}
	for _, n := range topo.Nodes {
		if n.Hypervisor == "h1" || n.IP != was[n.Name] {
			t.Errorf("%s is on %s with %s, and had %s", n.Name, n.Hypervisor, n.IP, was[n.Name])
		}
	}
}
