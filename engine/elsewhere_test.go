package engine_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/diag"
)

// one are options of one controller, which knows what its earlier runs have made.
func (r *rack) one(state, hosts string, set ...string) engine.Options {
	r.t.Helper()
	o := r.options(hosts, set...)
	o.Adopt, o.StateDir = false, filepath.Join(state, "state")
	return o
}

// sameRefusal returns the only error of a plan and of a run, which must be the same.
func (r *rack) sameRefusal(o engine.Options) diag.Diagnostic {
	r.t.Helper()
	planned, ran := problem(r.t, engine.Plan(r.t.Context(), o)), problem(r.t, engine.Run(r.t.Context(), o))
	if planned.Summary != ran.Summary || planned.Detail != ran.Detail || ran.Warning {
		r.t.Errorf("plan: %s: %s\nrun: %s: %s", planned.Summary, planned.Detail, ran.Summary, ran.Detail)
	}
	return ran
}

var madeAt = regexp.MustCompile(`\S+@\S+ made it on [0-9-]+ at [0-9:]+ UTC from \S+`)

func TestClusterIsNotCreatedAgainOnOtherHosts(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2", "h3")
	state := t.TempDir()
	r.changes(r.one(state, "h1,h2"))
	nodes := r.nodes("h1", "h2")

	o := r.one(state, "h3")
	d := r.sameRefusal(o)
	want := fmt.Sprintf(`The cluster "boxes" exists on h1 and h2, and this run has h3. Nothing was changed.
  on h1: what the cluster's first hypervisor keeps, such as its keys, boxes-pod-01, boxes-controller-01
  on h2: boxes-compute-01
  MADE
To work on it, name its hypervisors: --hosts h1,h2, or --hosts h1,h2,h3 to use h3 for it too. For a second cluster beside it:
    kinit run %s \
        --hosts h3 \
        -i %s \
        --set cluster.name=boxes-2`, o.Spec, r.inventory)
	if got := madeAt.ReplaceAllString(d.Detail, "MADE"); d.Summary != "Cluster is on other hosts" || got != want {
		t.Errorf("%s: %s\nwant %s", d.Summary, got, want)
	}
	equal(t, "the nodes", r.nodes("h1", "h2", "h3"), nodes)
	o.StopAfter, o.CleansUp = "cleanup", true
	if d := r.sameRefusal(o); d.Summary != "Cluster is on other hosts" {
		t.Errorf("clean-up elsewhere: %s: %s", d.Summary, d.Detail)
	}

	// Each way out works.
	if n := r.changes(r.one(state, "h1,h2")); n != 0 {
		t.Errorf("%d changes, want none", n)
	}
	r.changes(r.one(state, "h3", "cluster.name=boxes-2"))
	r.changes(r.one(state, "h1,h2,h3"))
	equal(t, "the nodes of the first cluster", r.nodes("h1", "h2"), nodes)
}

func TestClusterThatMayBeOnASilentHostIsNotCreatedAgain(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	state := t.TempDir()
	r.changes(r.one(state, "h1"))
	r.servers["h1"].Stop()

	d := r.sameRefusal(r.one(state, "h2"))
	if !strings.Contains(d.Detail, `This controller has worked on the cluster "boxes" on h1: `) || !strings.Contains(d.Detail, "give --lost h1.") || d.Host != "h1" || d.Summary != "Cluster may be on another host" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h2"), []string(nil))

	o := r.one(state, "h2")
	o.Lost = []string{"h1"}
	r.changes(o)
	equal(t, "the nodes", r.nodes("h2"), []string{"h2 boxes-compute-01 10.0.0.2", "h2 boxes-controller-01 10.0.0.1"})
}

func TestClusterThatWasCleanedUpIsCreatedOnOtherHosts(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	state := t.TempDir()
	r.changes(r.one(state, "h1"))
	o := r.one(state, "h1")
	write(t, o.Spec, strings.Replace(boxes, `kinds = ["file"]`, "all   = true", 1))
	o.StopAfter, o.CleansUp = "cleanup", true
	r.changes(o)
	r.servers["h1"].Stop()
	r.changes(r.one(state, "h2"))
	equal(t, "the nodes", r.nodes("h2"), []string{"h2 boxes-compute-01 10.0.0.2", "h2 boxes-controller-01 10.0.0.1"})
}

// Another controller cannot know of the first cluster. Its user finds both and removes one copy of each node.
func TestAdviceForNodesThatExistTwiceWorksAsWritten(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1"))
	r.changes(r.options("h2"))
	report := engine.Run(t.Context(), r.options("h1,h2"))
	advice := regexp.MustCompile(`--set (node\.\S+=\S+) --remove (\S+);`)
	var set, remove []string
	for _, d := range report.Diagnostics {
		if m := advice.FindStringSubmatch(d.Detail); m != nil && d.Summary == "Node exists twice" {
			set, remove = append(set, m[1]), append(remove, m[2])
		}
	}
	equal(t, "what names the copies", remove, []string{"controller-01@h2", "compute-01@h2"})
	for _, node := range []string{"controller-01", "compute-01"} {
		o := r.removing(node+"@h1", "h1,h2", set...) // these stay
		if d := problem(t, engine.Run(t.Context(), o)); d.Summary != "Removals not named" {
			t.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	r.changes(r.removing(strings.Join(remove, ","), "h1,h2", set...))
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
	if n := r.changes(r.options("h1,h2")); n != 0 {
		t.Errorf("%d changes, want none", n)
	}
}
