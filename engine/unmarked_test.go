package engine_test

import (
	"testing"

	"kinit/engine"
)

// Somebody has deleted the folder with the marks: kinit would find nothing to remove, and could not replace the existing objects.
func TestRunIsRefusedBeforeItChangesAHostWhoseMarksAreMissing(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2"))
	nodes := r.nodes("h1", "h2")
	const all = `find /srv /var/lib/kinit/clusters -type f -exec ls -l --time-style=full-iso {} +`
	r.run("h1", "mv /var/lib/kinit/clusters/boxes/owned /owned")
	before := r.run("h1", all) + r.run("h2", all)
	recreate, cleanup := r.options("h1,h2"), r.options("h1,h2")
	recreate.Recreate = true
	cleanup.StopAfter, cleanup.CleansUp = "cleanup", true
	for name, o := range map[string]engine.Options{"run": r.options("h1,h2"), "recreate": recreate, "clean-up": cleanup} {
		d := problem(t, engine.Run(t.Context(), o))
		want := `h1 has the record of the cluster "boxes", and not the folder /var/lib/kinit/clusters/boxes/owned with the marks of what kinit has made there: a run would neither change nor remove it. Nothing was changed. Put that folder back, for example from a backup of h1; or remove by hand what the cluster has on h1, then remove /var/lib/kinit/clusters/boxes, and run kinit again: it creates that host's part of the cluster again, without its data.`
		if d.Summary != "Marks are missing" || d.Host != "h1" || d.Detail != want {
			t.Errorf("%s: %s on %s: %s", name, d.Summary, d.Host, d.Detail)
		}
	}
	equal(t, "what the hosts have after the refusals", r.run("h1", all)+r.run("h2", all), before)

	// Both ways out work.
	r.run("h1", "mv /owned /var/lib/kinit/clusters/boxes/owned")
	equal(t, "changes of a second run", r.changes(r.options("h1,h2")), 0)
	r.run("h1", "rm -r /var/lib/kinit/clusters/boxes/owned")
	r.run("h1", "rm /srv/nodes/* && rm -r /var/lib/kinit/clusters/boxes")
	r.changes(r.options("h1,h2"))
	equal(t, "the nodes", r.nodes("h1", "h2"), nodes)
	equal(t, "changes of a second run", r.changes(r.options("h1,h2")), 0)
	recreate = r.options("h1,h2")
	recreate.Recreate = true
	r.changes(recreate)
	equal(t, "the nodes after --recreate", r.nodes("h1", "h2"), nodes)
}
