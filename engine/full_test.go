package engine_test

import (
	"strings"
	"testing"

	"kinit/engine"
)

// fill leaves no space on the small file system of a host's state folder, and free undoes it.
const (
	fill = `{ cat /dev/zero >/var/lib/kinit/ballast; } 2>/dev/null || :`
	free = `rm /var/lib/kinit/ballast`
)

func TestFullStateFolderIsNamedAndLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.run("h1", "mkdir -p /var/lib/kinit && mount -t tmpfs -o size=256k tmpfs /var/lib/kinit && "+fill)
	refused := func(o engine.Options) {
		t.Helper()
		for _, d := range engine.Run(t.Context(), o).Diagnostics {
			if !strings.Contains(d.Detail, "take the lock of boxes on h1: ") ||
				!strings.Contains(d.Detail, "no space left on this host for /var/lib/kinit/locks/boxes/holder: free some there, and run kinit again") {
				t.Errorf("%s: %s", d.Summary, d.Detail)
			}
		}
	}
	refused(r.options("h1"))
	equal(t, "nodes after a run on a full disk", len(r.nodes("h1")), 0)
	r.run("h1", free)
	r.changes(r.options("h1"))
	before := strings.Join(r.nodes("h1"), "\n")
	record := r.run("h1", "cat /var/lib/kinit/clusters/boxes/*.json")

	r.run("h1", fill)
	refused(r.options("h1", "pool.compute.count=2"))
	equal(t, "nodes after a growing run on a full disk", strings.Join(r.nodes("h1"), "\n"), before)
	equal(t, "the record after it", r.run("h1", "cat /var/lib/kinit/clusters/boxes/*.json"), record)
	r.run("h1", free)
	r.changes(r.options("h1", "pool.compute.count=2"))
	equal(t, "nodes in the end", len(r.nodes("h1")), 3)
}

// The file system fills up while the run has its lock: the record can no longer be written, and neither can a mark.
func TestStateFolderThatFillsUpDuringARunIsNamed(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.run("h1", "mkdir -p /var/lib/kinit && mount -t tmpfs -o size=256k tmpfs /var/lib/kinit")
	o := r.options("h1")
	write(t, o.Spec, strings.Replace(boxes, `stage "nodes" { after = ["record"] }`, `stage "nodes" { after = ["fill"] }`, 1)+`
stage "fill" { after = ["record"] }
task "command" "fill" {
  stage = "fill"
  hosts = cluster.hypervisors[*].name
  argv  = ["sh", "-c", <<-EOT
`+fill+`
EOT
  ]
}
task "copy" "late" {
  stage   = "leave"
  hosts   = cluster.hypervisors[*].name
  dest    = "/srv/late"
  content = "x"
}
`)
	diags := engine.Run(t.Context(), o).Diagnostics
	equal(t, "problems", len(diags), 2)
	const want = "no space left on h1: the file system at /var/lib/kinit, which has /var/lib/kinit/clusters/boxes/owned/"
	for _, d := range diags {
		if !strings.HasPrefix(d.Detail, want) || !strings.Contains(d.Detail, ", is full; free some there, and run kinit again: mark file /srv/nodes/") {
			t.Errorf("%s: %s\nwant %s", d.Summary, d.Detail, want)
		}
	}
	equal(t, "objects without a mark", r.run("h1", "find /srv -type f"), "")
	equal(t, "unfinished files", r.run("h1", "find /var/lib/kinit -name '.*' -type f"), "")
	write(t, o.Spec, boxes)
	r.run("h1", free)
	r.changes(o)
	equal(t, "nodes in the end", len(r.nodes("h1")), 2)
}
