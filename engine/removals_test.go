package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
)

// answering returns a ConfirmRemovals with one answer, and the questions that it was asked.
func answering(yes bool) (engine.ConfirmRemovals, *[]string) {
	var asked []string
	return func(_ context.Context, removals []engine.Removal) (bool, error) {
		for _, r := range removals {
			asked = append(asked, r.String())
		}
		return yes, nil
	}, &asked
}

func TestARunDoesNotRemoveANodeThatNoFlagNames(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2", "pool.compute.count=2"))
	before := r.nodes("h1", "h2")
	small := r.options("h1,h2")
	d := problem(t, engine.Run(t.Context(), small))
	want := `The run would remove, and no flag names:

  node boxes-compute-02 on h1, with the address 10.0.0.3: the spec no longer has it

Nothing was changed. To remove them, give --remove boxes-compute-02 or answer on a terminal. To keep them, change the spec or the other flags.`
	if d.Summary != "Removals not named" || d.Detail != want {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), before)

	// A program without flags says how it is named there.
	job := small
	job.NamesRemovals = func(names []string) string { return "name " + strings.Join(names, " and ") }
	if d := problem(t, engine.Run(t.Context(), job)); !strings.HasSuffix(d.Detail, "Nothing was changed. To remove them, name boxes-compute-02. To keep them, change the spec or the other arguments.") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}

	// An answer on the terminal names it, once for all that follows.
	small.ConfirmRemovals, _ = answering(false)
	if d := problem(t, engine.Run(t.Context(), small)); d.Summary != "Removals declined" || d.Detail != "Nothing was changed." {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), before)
	small.ConfirmRemovals = func(context.Context, []engine.Removal) (bool, error) { return false, errors.New("no terminal") }
	if d := problem(t, engine.Run(t.Context(), small)); d.Summary != "No answer" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), before)
	confirm, asked := answering(true)
	small.ConfirmRemovals = confirm
	report := went(t, engine.Run(t.Context(), small))
	equal(t, "the questions", *asked, []string{"node boxes-compute-02 on h1, with the address 10.0.0.3: the spec no longer has it (needs --remove boxes-compute-02)"})
	equal(t, "what the run removes", removals(report), []string{"node boxes-compute-02 on h1, with the address 10.0.0.3: the spec no longer has it (named by your answer)"})
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{before[1], before[2]})
}

func TestAPlanThatDoesNotComeToARemovalNeedsNoFlag(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.options("h1", "pool.compute.count=2"))
	for name, change := range map[string]func(*engine.Options){
		"it ends before":             func(o *engine.Options) { o.StopAfter = "record" },
		"no task of it removes":      func(o *engine.Options) { o.Skip = []string{"task.sweep.owned", "leave"} },
		"it has other tasks":         func(o *engine.Options) { o.Only = []string{"task.directory.nodes"} },
		"the spec has the node too":  func(o *engine.Options) { o.Set = []string{"pool.compute.count=2"} },
		"everything is asked for":    func(o *engine.Options) { o.StopAfter, o.CleansUp = "cleanup", true },
		"everything is made again":   func(o *engine.Options) { o.Recreate = true },
		"a command names the node":   func(o *engine.Options) { o.Leave = []string{"compute-02"} },
		"a command names its host":   func(o *engine.Options) { o.Evacuate = []string{"h1"} },
		"a flag names it by half":    func(o *engine.Options) { o.Remove = []string{"compute-02"} },
		"a flag names it completely": func(o *engine.Options) { o.Remove = []string{"boxes-compute-02"} },
	} {
		o := r.options("h1")
		change(&o)
		for _, one := range engine.Plan(t.Context(), o).Removals {
			if one.By == "" {
				t.Errorf("%s: %s", name, one)
			}
		}
	}
}

func TestEverythingThatIsRemovedIsShown(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.options("h1"))
	o := r.options("h1")
	o.StopAfter, o.CleansUp = "cleanup", true
	equal(t, "what clean-up removes", removals(engine.Plan(t.Context(), o)), []string{
		"node boxes-compute-01 on h1, with the address 10.0.0.2: everything is removed (named by --stop-after cleanup)",
		"node boxes-controller-01 on h1, with the address 10.0.0.1: everything is removed (named by --stop-after cleanup)",
		"pod boxes-pod-01 on h1, with the address 10.0.0.253: everything is removed (named by --stop-after cleanup)",
	})
	o.Recreate = true
	equal(t, "what clean-up with --recreate removes", removals(engine.Plan(t.Context(), o))[:1], []string{
		"node boxes-compute-01 on h1, with the address 10.0.0.2: everything is removed (named by --stop-after cleanup)",
	})
	o.Precedes = true
	equal(t, "what the first run of --recreate removes", removals(engine.Plan(t.Context(), o))[:1], []string{
		"node boxes-compute-01 on h1, with the address 10.0.0.2: everything is removed and built again (named by --recreate)",
	})
	o = r.options("h1")
	o.Recreate = true
	equal(t, "what recreate removes", removals(engine.Plan(t.Context(), o))[:1], []string{
		"node boxes-compute-01 on h1, with the address 10.0.0.2: everything is removed and built again (named by --recreate)",
	})
}

// A node that no record has may be that of another spec, or the rest of a run that was killed.
func TestANodeThatOnlyAHostHasIsNotRemovedUnnamed(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2"))
	owned := "/var/lib/kinit/clusters/boxes/owned/file"
	r.run("h1", "cd "+owned+`; printf x >/srv/nodes/boxes-old-01; sed s/boxes-controller-01/boxes-old-01/ *controller-01* >"$(ls | grep controller-01 | sed s/controller-01/old-01/)"`)
	d := problem(t, engine.Run(t.Context(), r.options("h1,h2")))
	if !strings.Contains(d.Detail, "  node boxes-old-01 on h1: the spec does not have it\n") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	r.changes(r.removing("old-01", "h1,h2"))
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-01 10.0.0.2"})
}

func TestAnAddressThatGoesIsNamed(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2", "node.compute-01.hypervisor=h1"))
	o := r.options("h1", "node.compute-01.hypervisor=h1")
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), o)), []string{"address 10.0.0.251 of h2: the cluster no longer has h2 (needs --remove h2)"})
	if d := problem(t, engine.Run(t.Context(), o)); d.Summary != "Removals not named" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	r.changes(r.removing("h2", "h1", "node.compute-01.hypervisor=h1"))
	equal(t, "what the next plan removes", removals(engine.Plan(t.Context(), o)), []string(nil))
}

func TestASavedPlanRemovesOnlyWhatWasNamedWhenItWasSaved(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	first := r.options("h1", "pool.compute.count=2")
	r.changes(first)
	before := r.nodes("h1")
	small, named := r.options("h1"), r.options("h1")
	named.Remove = []string{"compute-02"}
	d := problem(t, engine.Apply(t.Context(), small, kept(t, small)))
	if !strings.HasSuffix(d.Detail, "To remove them, make a new plan with --remove boxes-compute-02. To keep them, make it of another spec or with other flags.") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	// Flags of the later command name nothing.
	if d := problem(t, engine.Apply(t.Context(), named, kept(t, small))); d.Summary != "Removals not named" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h1"), before)
	went(t, engine.Apply(t.Context(), small, kept(t, named)))
	equal(t, "the nodes", r.nodes("h1"), []string{before[0], before[2]})
}

func TestNamesThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.options("h1"))
	const nodes = `Its nodes are boxes-compute-01, boxes-controller-01. If it was removed before, leave the name out.`
	for name, test := range map[string]struct {
		change func(*engine.Options)
		want   string
	}{
		"--lost":        {func(o *engine.Options) { o.Lost = []string{"h7"} }, `Unknown host: --lost names "h7", which is no host of the inventories and no hypervisor of the cluster. Did you mean "h1"? The hosts are h1.`},
		"--yes-destroy": {func(o *engine.Options) { o.YesDestroy = []string{"compute-07"} }, `Unknown node: The cluster "boxes" has no node "compute-07". ` + nodes},
		"replace":       {func(o *engine.Options) { o.Leave = []string{"compute-07"} }, `Unknown node: The cluster "boxes" has no node "compute-07". ` + nodes},
		"evacuate":      {func(o *engine.Options) { o.Evacuate = []string{"h7"} }, `Unknown hypervisor: All nodes are to leave that are on "h7", which is not among the selected hosts. Did you mean "h1"?`},
		"--remove": {func(o *engine.Options) { o.Remove = []string{"compute-07"} },
			`Unknown name: --remove names "compute-07", and nothing that the run may remove has this name. There are boxes-compute-01, boxes-controller-01, boxes-h1, boxes-pod-01, h1. If it was removed before, leave the name out.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, do := range []func(context.Context, engine.Options) *engine.Report{engine.Plan, engine.Run} {
				o := r.options("h1")
				test.change(&o)
				report := do(t.Context(), o)
				if got := problems(report); !strings.HasSuffix(got, test.want) || len(report.Results) > 0 {
					t.Errorf("%d results, problems:\n%s, want\n%s", len(report.Results), got, test.want)
				}
				o.Continues = true // the second run of replace, or of --lost
				if name == "--lost" || name == "--yes-destroy" || name == "--remove" {
					went(t, do(t.Context(), o))
				}
			}
		})
	}
}

// shelf has two folders that are kinit's alone.
const shelf = `
spec "shelf" {
  owner = "shelf"
}

stage "cleanup" {}
stage "build" { after = ["cleanup"] }

task "sweep" "owned" {
  stage = "cleanup"
  hosts = run.hosts
  all   = run.stop_after == "cleanup"
  keep  = ["/var/lib/kinit/shelf", "/var/lib/kinit/shelf/kept"]
}

task "directory" "folder" {
  stage    = "build"
  for_each = toset(concat(["/var/lib/kinit/shelf", "/var/lib/kinit/shelf/kept"], MORE))
  host     = "h1"
  path     = each.key
  state    = "STATE"
}
`

// shelved returns the playbook with some folders that the sweep does not keep.
func (r *rack) shelved(more, state string) engine.Options {
	r.t.Helper()
	o := r.options("h1")
	write(r.t, filepath.Join(o.Cwd, "site.hcl"), strings.NewReplacer("MORE", more, "STATE", state).Replace(shelf))
	return o
}

func TestAFolderWithDataThatThePlaybookNoLongerHasIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.shelved(`["/var/lib/kinit/shelf/old", "/var/lib/kinit/shelf/empty"]`, "present"))
	r.run("h1", "echo precious >/var/lib/kinit/shelf/old/data")
	o := r.shelved("[]", "present")
	const folder = "folder /var/lib/kinit/shelf/old on h1: the playbook no longer declares it "
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), o)), []string{folder + "(needs --remove /var/lib/kinit/shelf/old)"})

	report := engine.Run(t.Context(), o)
	want := `The task would remove, with what they hold, and no flag names:

  folder /var/lib/kinit/shelf/old on h1: the playbook no longer declares it

The task has changed nothing. To remove them, give --remove /var/lib/kinit/shelf/old or answer on a terminal. To keep them, change the spec or the other flags.`
	if d := report.Diagnostics; len(d) != 1 || d[0].Summary != "Removals not named" || d[0].Detail != want {
		t.Errorf("problems: %s", problems(report))
	}
	equal(t, "the data", r.run("h1", "cat /var/lib/kinit/shelf/old/data"), "precious\n")

	wrong := o
	wrong.Remove = []string{"older"}
	if got := problems(engine.Run(t.Context(), wrong)); !strings.HasSuffix(got, `--remove names "older", and nothing that the run may remove has this name. There are /var/lib/kinit/shelf/old. If it was removed before, leave the name out.`) {
		t.Error(got)
	}
	no := o
	no.ConfirmRemovals, _ = answering(false)
	if got := problems(engine.Run(t.Context(), no)); !strings.Contains(got, "Removals declined") {
		t.Error(got)
	}
	equal(t, "the data", r.run("h1", "cat /var/lib/kinit/shelf/old/data"), "precious\n")

	named := o
	named.Remove = []string{"old"}
	report = went(t, engine.Run(t.Context(), named))
	equal(t, "what the run removes", removals(report), []string{folder + "(named by --remove old)"})
	equal(t, "what is there", r.run("h1", "ls /var/lib/kinit/shelf"), "kept\n")
	r.changes(o)
}

func TestWhatAPlaybookDeclaresAbsentNeedsNoFlag(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.shelved(`["/var/lib/kinit/shelf/old"]`, "present"))
	r.run("h1", "echo precious >/var/lib/kinit/shelf/kept/data")
	gone := r.shelved("[]", "present")
	gone.StopAfter = "cleanup" // the sweep says all = true
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), gone)), []string(nil))
	went(t, engine.Run(t.Context(), gone))
	equal(t, "what is there", r.run("h1", "test ! -e /var/lib/kinit/shelf || ls /var/lib/kinit/shelf"), "")
}

// --recreate is two runs: the second one plans again.
func TestRecreateCoversWhatItsSecondRunRemoves(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.options("h1", "pool.compute.count=2"))
	o := r.options("h1")
	o.Rebuilds = true
	report := went(t, engine.Run(t.Context(), o))
	equal(t, "what is removed", removals(report), []string{"node boxes-compute-02 on h1, with the address 10.0.0.3: the spec no longer has it (named by --recreate)"})
}

// A folder outside of /var/lib/kinit stays as long as foreign files are in it, whatever is named.
func TestNamingAForeignObjectSaysWhatItIsAndWhatToDo(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.shelved(`["/srv/site", "/srv/site/empty"]`, "present"))
	r.run("h1", "echo precious >/srv/site/data; echo x >/srv/other")
	for name, want := range map[string]string{
		"/srv/site": `--remove names "/srv/site", and the run does not remove that: /srv/site on h1 is a folder that kinit made, and it stays as long as data, which kinit did not make, is in it. ` +
			"Remove those by hand if nothing needs them: a run that no longer declares the folder then removes it, without --remove.",
		"site": `--remove names "site", and the run does not remove that: /srv/site on h1 is a folder that kinit made, and it stays as long as data, which kinit did not make, is in it. ` +
			"Remove those by hand if nothing needs them: a run that no longer declares the folder then removes it, without --remove.",
		"/srv/site/empty": `--remove names "/srv/site/empty", and the run does not remove that: kinit made /srv/site/empty on h1, and the run keeps it or needs no name to remove it. Leave the name out.`,
		"/srv/other":      `--remove names "/srv/other", and the run does not remove that: /srv/other on h1 is not marked as made by shelf. Remove it by hand if nothing needs it, and leave the name out.`,
		"/srv/nothing":    `--remove names "/srv/nothing", and nothing that the run may remove has this name.`,
	} {
		o := r.shelved("[]", "present")
		o.Remove = []string{name}
		if d := engine.Run(t.Context(), o).Diagnostics; len(d) != 1 || !strings.HasPrefix(d[0].Detail, want) {
			t.Errorf("%s: %v\nwant %s", name, d, want)
		}
	}

	// The advice works as written.
	r.run("h1", "rm /srv/site/data")
	r.changes(r.shelved("[]", "present"))
	equal(t, "what is left", r.run("h1", "ls /srv"), "other\n")
}
