package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/diag"
)

// depot is a cluster whose nodes are files, in one of two folders: that of its driver.
const depot = `
spec "depot" {}

driver "box" {
  summary = "nodes are boxes"
  nodes   = "id=$(sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p' owned/instance.json); test ! -e /srv/no-boxes || exit 1; for n in /srv/box/$1-co* /srv/box/$1-extra*; do [ ! -e \"$n\" ] || echo \"$${n##*/} $1.$id\"; done"
}

driver "crate" {
  summary = "nodes are crates"
  nodes   = "id=$(sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p' owned/instance.json); for n in /srv/crate/$1-co* /srv/crate/$1-extra*; do [ ! -e \"$n\" ] || echo \"$${n##*/} $1.$id\"; done"
}

variable "cidr" {
  type    = string
  default = "10.0.0.0/24"
}

variable "pod_cidr" {
  type    = string
  default = "10.244.0.0/16"
}

variable "edition" {
  type    = string
  default = "plain"
}

cluster "depot" {
  driver = "box"
  network { cidr = var.cidr }
  pool "controller" { count = 1 }
  pool "compute" { count = 1 }
}

record {
  fixed = {
    edition  = var.edition
    pod_cidr = run.stop_after == "cleanup" ? null : local.pods
  }
}

record {
  removes = run.stop_after == "cleanup"
}

locals {
  remove_all = run.recreate || run.stop_after == "cleanup"
  pods       = lookup(cluster.vars, "pod_cidr", var.pod_cidr)
  here       = { for h in cluster.hypervisors : h.name => [for n in values(cluster.nodes) : "/srv/${n.driver}/${n.name}" if n.hypervisor == h.name] }
}

stage "cleanup" {}
stage "places" { after = ["cleanup"] }
stage "nodes" { after = ["places"] }
stage "leave" { after = ["nodes"] }

task "sweep" "owned" {
  stage = "cleanup"
  hosts = cluster.hypervisors[*].name
  all   = local.remove_all
  kinds = ["file"]
  keep = concat([cluster.record.path, "/srv/box", "/srv/crate"], local.here[host.name],
  flatten([for l in values(cluster.leaving) : ["/srv/box/${l.name}", "/srv/crate/${l.name}"]]))
}

task "copy" "record" {
  stage   = "places"
  hosts   = cluster.hypervisors[*].name
  dest    = cluster.record.path
  content = cluster.record.text
  mode    = "0600"
}

task "command" "folders" {
  stage   = "places"
  hosts   = cluster.hypervisors[*].name
  argv    = ["mkdir", "-p", "/srv/box", "/srv/crate"]
  creates = "/srv/crate"
}

task "copy" "node" {
  stage    = "nodes"
  for_each = cluster.nodes
  host     = each.value.hypervisor
  dest     = "/srv/${each.value.driver}/${each.key}"
  content  = each.value.ip
}

task "copy" "left" {
  stage   = "leave"
  hosts   = [for h in cluster.hypervisors : h.name if length(cluster.leaving) > 0]
  dest    = cluster.record.path
  content = cluster.record.left
  mode    = "0600"
}
`

// of are the options of a controller that runs the playbook and knows nothing yet.
func (r *rack) of(playbook, hosts string, set ...string) engine.Options {
	r.t.Helper()
	o := options(r.t, playbook)
	o.Hosts, o.Inventories, o.Set = strings.Split(hosts, ","), []string{r.inventory}, set
	o.StateDir, o.Adopt = o.Cwd+"/state", true
	return o
}

// stock are the nodes of a host by their driver, with their addresses.
func (r *rack) stock(host string) []string {
	r.t.Helper()
	return strings.Fields(r.run(host, `cd /srv; for n in box/* crate/*; do [ ! -e "$n" ] || echo "$n=$(cat "$n")"; done`))
}

func (r *rack) record(host, cluster string) map[string]any {
	r.t.Helper()
	var record map[string]any
	if err := json.Unmarshal([]byte(r.run(host, "cat /var/lib/kinit/clusters/"+cluster+"/cluster.json")), &record); err != nil {
		r.t.Fatal(err)
	}
	return record
}

// age makes the record of a host what kinit wrote before records had more than places.
func (r *rack) age(host, cluster string) {
	r.t.Helper()
	record := r.record(host, cluster)
	record["version"] = 1
	for _, name := range []string{"instance", "network", "fixed"} {
		delete(record, name)
	}
	for _, node := range record["nodes"].([]any) {
		delete(node.(map[string]any), "pool")
		delete(node.(map[string]any), "driver")
	}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		r.t.Fatal(err)
	}
	r.run(host, "cat >/var/lib/kinit/clusters/"+cluster+"/cluster.json <<'END'\n"+string(text)+"\nEND\n")
}

// refusals returns the only problem of a plan and of a run, which must be the same, and which change nothing.
func (r *rack) refusal(o engine.Options) diag.Diagnostic {
	r.t.Helper()
	d := problem(r.t, engine.Plan(r.t.Context(), o))
	if run := problem(r.t, engine.Run(r.t.Context(), o)); run.Detail != d.Detail {
		r.t.Errorf("plan says %s\nrun says %s", d.Detail, run.Detail)
	}
	return d
}

// asked is the error of a run that asks for another cluster than the one that exists on h1.
func asked(o engine.Options, differences ...string) string {
	vars := ""
	for _, name := range []string{"cidr", "edition", "pod_cidr"} {
		if value, given := o.Vars[name]; given {
			vars += fmt.Sprintf(" --var %s=%s", name, value)
		}
	}
	lines := strings.Join(differences, "\n  ")
	return fmt.Sprintf("The cluster \"depot\" exists on h1, and this run asks for another one of that name:\n  %s\n"+
		"Nothing was changed. To work on the existing cluster, request what exists. For a second cluster beside it:\n"+
		"    kinit run SPEC --hosts h1 -i INVENTORY%s --set cluster.name=depot-2\n"+
		"To rebuild the cluster as requested, which first removes its nodes and all their data:\n"+
		"    kinit run SPEC --hosts h1 -i INVENTORY%s --recreate", lines, vars, vars)
}

// unfolded is a detail without the folds of its commands and without the paths of a test.
func (r *rack) unfolded(o engine.Options, detail string) string {
	return strings.NewReplacer(" \\\n        ", " ", o.Spec, "SPEC", r.inventory, "INVENTORY").Replace(detail)
}

func TestRunThatWouldChangeAFixedPropertyIsRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	nodes, record := r.stock("h1"), r.run("h1", "cat /var/lib/kinit/clusters/depot/cluster.json")
	equal(t, "the nodes", nodes, []string{"box/depot-compute-01=10.0.0.2", "box/depot-controller-01=10.0.0.1"})
	sibling := strings.Replace(depot, `driver = "box"`, `driver = "crate"`, 1)
	for name, test := range map[string]struct {
		playbook    string
		set         []string
		vars        map[string]string
		differences []string
	}{
		"the driver of the sibling spec": {sibling, nil, nil, []string{
			"driver of pool controller: exists box, requested crate", "driver of pool compute: exists box, requested crate",
		}},
		"the driver of one pool": {depot, []string{"pool.compute.driver=crate"}, nil, []string{"driver of pool compute: exists box, requested crate"}},
		"pools of other names by another driver": {strings.NewReplacer(`pool "controller"`, `pool "boss"`, `pool "compute"`, `pool "worker"`).Replace(sibling), nil, nil,
			[]string{"drivers: exists box, requested crate"}},
		"the network":     {depot, nil, map[string]string{"cidr": "10.9.0.0/24"}, []string{"network: exists 10.0.0.0/24, requested 10.9.0.0/24"}},
		"a wider network": {depot, nil, map[string]string{"cidr": "10.0.0.0/16"}, []string{"network: exists 10.0.0.0/24, requested 10.0.0.0/16"}},
		"values of the playbook": {depot, nil, map[string]string{"pod_cidr": "10.128.0.0/16", "edition": "deluxe"}, []string{
			"edition: exists plain, requested deluxe", "pod_cidr: exists 10.244.0.0/16, requested 10.128.0.0/16",
		}},
	} {
		o := r.of(test.playbook, "h1", test.set...)
		o.Vars = test.vars
		d := r.refusal(o)
		got := strings.ReplaceAll(r.unfolded(o, d.Detail), " --set pool.compute.driver=crate", "")
		if want := asked(o, test.differences...); got != want || !errors.Is(d.Cause, engine.ErrFixed) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, d.Cause, got, want)
		}
	}
	equal(t, "the nodes", r.stock("h1"), nodes)
	equal(t, "the record", r.run("h1", "cat /var/lib/kinit/clusters/depot/cluster.json"), record)
	if n := r.changes(r.of(depot, "h1")); n != 0 {
		t.Errorf("%d changes again", n)
	}
}

func TestTheTwoCommandsOfARefusalWork(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	first := r.stock("h1")
	o := r.of(strings.Replace(depot, `driver = "box"`, `driver = "crate"`, 1), "h1")
	o.Vars = map[string]string{"cidr": "10.9.0.0/24"}
	r.refusal(o)

	beside := o
	beside.Set = []string{"cluster.name=depot-2"}
	r.changes(beside)
	equal(t, "the nodes of both", r.stock("h1"), append(first, "crate/depot-2-compute-01=10.9.0.2", "crate/depot-2-controller-01=10.9.0.1"))
	for _, again := range []engine.Options{beside, r.of(depot, "h1")} {
		if n := r.changes(again); n != 0 {
			t.Errorf("%d changes again", n)
		}
	}

	rebuild := o
	rebuild.Recreate = true
	r.changes(rebuild)
	want := []string{"crate/depot-2-compute-01=10.9.0.2", "crate/depot-2-controller-01=10.9.0.1", "crate/depot-compute-01=10.9.0.2", "crate/depot-controller-01=10.9.0.1"}
	equal(t, "the nodes after the rebuild", r.stock("h1"), want)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes again", n)
	}
	if d := r.refusal(r.of(depot, "h1")); d.Summary != "Another cluster than the one that exists" {
		t.Errorf("the former settings: %s: %s", d.Summary, d.Detail)
	}
}

func TestPoolWithAnotherDriverChangesNoExistingPool(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	more := strings.Replace(depot, `pool "compute"`, "pool \"extra\" {\n    driver = \"crate\"\n  }\n  pool \"compute\"", 1)
	r.changes(r.of(more, "h1"))
	equal(t, "the nodes", r.stock("h1"), []string{"box/depot-compute-01=10.0.0.2", "box/depot-controller-01=10.0.0.1", "crate/depot-extra-01=10.0.0.3"})
	if n := r.changes(r.of(more, "h1")); n != 0 {
		t.Errorf("%d changes again", n)
	}
	r.changes(r.of(more, "h1", "pool.compute.count=2")) // it grows as before
	equal(t, "the grown nodes", r.stock("h1"), []string{"box/depot-compute-01=10.0.0.2", "box/depot-compute-02=10.0.0.4", "box/depot-controller-01=10.0.0.1", "crate/depot-extra-01=10.0.0.3"})
}

func TestCleanupNeedsNoVariablesAndRemovesNoOtherCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	o := r.of(depot, "h1")
	o.Vars = map[string]string{"cidr": "10.9.0.0/24", "pod_cidr": "10.128.0.0/16"}
	r.changes(o)
	nodes := r.stock("h1")

	sibling := r.of(strings.Replace(depot, `driver = "box"`, `driver = "crate"`, 1), "h1")
	sibling.StopAfter = "cleanup"
	d := r.refusal(sibling)
	want := "The cluster \"depot\" exists on h1, and this run asks for another one of that name:\n" +
		"  driver of pool controller: exists box, requested crate\n  driver of pool compute: exists box, requested crate\n" +
		"Nothing was changed. To work on the existing cluster, request what exists. " +
		"To remove the existing cluster all the same:\n    kinit run SPEC --hosts h1 -i INVENTORY --stop-after cleanup --recreate"
	equal(t, "the refusal", r.unfolded(sibling, d.Detail), want)
	equal(t, "the nodes", r.stock("h1"), nodes)

	stranger := r.of(strings.NewReplacer(`pool "controller"`, `pool "boss"`, `pool "compute"`, `pool "worker"`, `driver = "box"`, `driver = "crate"`).Replace(depot), "h1")
	stranger.StopAfter = "cleanup"
	if d := r.refusal(stranger); !strings.Contains(d.Detail, "\n  drivers: exists box, requested crate\n") {
		t.Errorf("the refusal of a spec with other pools: %s", d.Detail)
	}
	equal(t, "the nodes", r.stock("h1"), nodes)

	forgotten := r.of(depot, "h1")
	forgotten.StopAfter = "cleanup"
	r.changes(forgotten)
	equal(t, "the nodes after clean-up", r.stock("h1"), []string{})
	r.run("h1", "test ! -e /var/lib/kinit/clusters/depot")

	r.changes(o)
	sibling.Recreate = true
	r.changes(sibling)
	equal(t, "the nodes after --recreate", r.stock("h1"), []string{})
}

func TestStatusShowsTheExistingClusterWhateverIsRequested(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	o := r.of(depot, "h1")
	o.Vars = map[string]string{"cidr": "10.9.0.0/24"}
	r.changes(o)
	other := r.of(strings.Replace(depot, `driver = "box"`, `driver = "crate"`, 1), "h1")
	status, report := engine.State(t.Context(), other)
	want := []string{"The cluster \"depot\" exists on h1, and this run asks for another one of that name:\n  network: exists 10.9.0.0/24, requested 10.0.0.0/24\n" +
		"  driver of pool controller: exists box, requested crate\n  driver of pool compute: exists box, requested crate\n" +
		"This is the state of the existing cluster; a run with these settings would be refused."}
	equal(t, "the warnings", warnings(report), want)
	if len(status.Differences) != 0 || report.Cluster != "depot" {
		t.Errorf("%+v", status)
	}
}

// The cluster was made by a kinit whose record had the places alone, under a name that its spec no longer has.
func TestClusterKeepsTheNameOfAnOlderSpec(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.of(depot, "h1"))
	nodes := r.stock("h1")
	r.age("h1", "depot")

	renamed := strings.Replace(depot, `cluster "depot" {`, "cluster \"depot-box\" {\n  formerly = \"depot\"", 1)
	o := r.of(renamed, "h1")
	if n := r.changes(o); n != 1 {
		t.Errorf("%d changes, want the record's alone", n)
	}
	equal(t, "the nodes", r.stock("h1"), nodes)
	record := r.record("h1", "depot")
	equal(t, "the network", record["network"], any("10.0.0.0/24"))
	equal(t, "the fixed values", record["fixed"], any(map[string]any{"edition": "plain", "pod_cidr": "10.244.0.0/16"}))
	id := strings.TrimSpace(r.run("h1", `sed -n 's/.*"id": "\(.*\)".*/\1/p' /var/lib/kinit/clusters/depot/owned/instance.json`))
	equal(t, "the instance", record["instance"], any(id))
	for name, more := range map[string]engine.Options{"the same": o, "another controller": r.of(renamed, "h1"), "more nodes": r.of(renamed, "h1", "pool.compute.count=2")} {
		report := went(t, engine.Plan(t.Context(), more))
		if report.Cluster != "depot" || (report.Changes() != 0) != (name == "more nodes") {
			t.Errorf("%s: %s, %d changes", name, report.Cluster, report.Changes())
		}
	}
	status, report := engine.State(t.Context(), o)
	if report.Cluster != "depot" || len(status.Differences) > 0 {
		t.Errorf("status of %s: %+v", report.Cluster, status.Differences)
	}

	// A second cluster is suggested by the spec's own name, and the command line's name has priority.
	wide := o
	wide.Vars = map[string]string{"cidr": "10.9.0.0/24"}
	if d := r.refusal(wide); !strings.Contains(r.unfolded(wide, d.Detail), " --set cluster.name=depot-box\n") {
		t.Error(d.Detail)
	}
	wide.Set = []string{"cluster.name=depot-box"}
	r.changes(wide)
	equal(t, "the nodes of both", r.stock("h1"), []string{"box/depot-box-compute-01=10.9.0.2", "box/depot-box-controller-01=10.9.0.1", nodes[0], nodes[1]})

	// Where there is no older one, the cluster has its new name.
	fresh := r.of(renamed, "h2")
	r.changes(fresh)
	equal(t, "the nodes of a new cluster", r.stock("h2"), []string{"box/depot-box-compute-01=10.0.0.2", "box/depot-box-controller-01=10.0.0.1"})
}

func TestSpecWithAnotherDriverNeverMeansTheOlderCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	own := r.of(depot, "h1")
	r.changes(own)
	nodes := r.stock("h1")
	sibling := strings.NewReplacer(`cluster "depot" {`, "cluster \"depot-crate\" {\n  formerly = \"depot\"", `driver = "box"`, `driver = "crate"`).Replace(depot)
	both := append([]string{nodes[0], nodes[1]}, "crate/depot-crate-compute-01=10.0.0.2", "crate/depot-crate-controller-01=10.0.0.1")
	for _, age := range []bool{false, true} {
		if age {
			r.age("h1", "depot")
		}
		gone := r.of(sibling, "h1")
		gone.StopAfter = "cleanup"
		r.changes(gone)
		equal(t, "the nodes", r.stock("h1"), nodes)
		r.changes(r.of(sibling, "h1"))
		equal(t, "the nodes of both", r.stock("h1"), both)
		r.changes(gone)
	}
	equal(t, "the nodes", r.stock("h1"), nodes)
}

func TestOlderClusterOfAnotherControllerIsNotRebuiltUnderANewName(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	o := r.of(strings.Replace(depot, `cluster "depot" {`, "cluster \"depot-box\" {\n  formerly = \"depot\"", 1), "h1")
	o.Adopt = false
	if d := r.refusal(o); d.Summary != "The name is taken" || !strings.HasSuffix(strings.SplitN(d.Detail, " on h1", 2)[0], "depot") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
}

func TestRecordOfPlacesAloneProtectsItsCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	r.age("h1", "depot")
	nodes := r.stock("h1")
	for _, test := range []struct {
		set  []string
		vars map[string]string
		want string
	}{
		{[]string{"cluster.driver=crate"}, nil, "\n  driver of pool controller: exists box, requested crate\n  driver of pool compute: exists box, requested crate\n"},
		{nil, map[string]string{"cidr": "10.9.0.0/24"}, "\n  network: exists one with 10.0.0.2, the address of depot-compute-01, requested 10.9.0.0/24\n"},
	} {
		o := r.of(depot, "h1", test.set...)
		o.Vars = test.vars
		if d := r.refusal(o); !strings.Contains(d.Detail, test.want) {
			t.Error(d.Detail)
		}
	}
	// The driver that made the nodes cannot list them.
	r.run("h1", "touch /srv/no-boxes")
	d := r.refusal(r.of(depot, "h1", "cluster.driver=crate"))
	want := `The record of the cluster "depot" does not say which driver made the node "depot-controller-01" on h1, and the driver "box" could not list its nodes there, so it may be one of them. Nothing was changed. Make what the driver "box" needs on h1 work, such as its service, and run kinit again.`
	equal(t, "the problem", d.Detail, want)
	r.run("h1", "rm /srv/no-boxes")

	if n := r.changes(r.of(depot, "h1")); n != 1 {
		t.Errorf("%d changes, want the record's", n)
	}
	if n := r.changes(r.of(depot, "h1")); n != 0 {
		t.Errorf("%d changes again", n)
	}
	equal(t, "the nodes", r.stock("h1"), nodes)
}

func TestMalformedRecordIsRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	o := r.of(depot, "h1")
	r.changes(o)
	nodes, path := r.stock("h1"), "/var/lib/kinit/clusters/depot/cluster.json"
	r.run("h1", "cp "+path+" /srv/good")
	for script, want := range map[string]string{
		`s/"version": 2/"version": 3/`:                   "it has the version 3, and this kinit reads the versions 1 to 2",
		`s/"version": 2/"version": 0/`:                   "it has the version 0, and this kinit reads the versions 1 to 2",
		`s/"10.0.0.0.24"/"10.0.0.7\/24"/`:                `its network is "10.0.0.7/24"`,
		`/"network"/d`:                                   `its network is "invalid Prefix"`,
		`s/"edition": "plain"/"edition": "p\\u001b[0m"/`: `it says that "edition" is "p\x1b[0m"`,
		`s/"driver": "box"/"driver": "a\\nb"/`:           `the node "depot-compute-01" has the pool "compute" and the driver "a\nb" in it`,
		`s/"cluster": "depot"/"cluster": "other"/`:       `it is of the cluster "other"`,
		`s/"name": "depot-compute-01"/"name": ""/`:       "a name is missing in it",
		`s/"generation": 1/"generation": -1/`:            "it has the generation -1",
		`s/"10.0.0.2"/"10.0.0"/`:                         `ParseAddr("10.0.0"): IPv4 address too short`,
		`1s/.*/[/`:                                       "invalid character ':' after array element",
	} {
		r.run("h1", "cp /srv/good "+path+"; sed -i '"+script+"' "+path)
		d := r.refusal(o)
		if want = ", cannot be read: " + want + ". "; d.Summary != "Unreadable record" || !strings.Contains(d.Detail, want) {
			t.Errorf("%s: %s: %s", script, d.Summary, d.Detail)
		}
	}
	equal(t, "the nodes", r.stock("h1"), nodes)

	// What another instance has recorded came from elsewhere.
	r.run("h1", "cp /srv/good "+path+`; sed -i 's/"instance": ".*"/"instance": "ELSEWHERE"/' `+path)
	foreign := o
	foreign.Adopt = false
	if d := r.refusal(foreign); d.Summary != "Unreadable record" || !strings.Contains(d.Detail, "it is of the instance ELSEWHERE, and what the host has of the cluster is of ") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	r.changes(o)
	if n := r.changes(foreign); n != 0 {
		t.Errorf("%d changes after the adoption", n)
	}
}

// TestRemovedClusterIsCreatedAgainBesideHostsThatAreNoHypervisors has a task on such a host. The controller remembers the
// removed instance as one that may be on it, until it is asked.
func TestRemovedClusterIsCreatedAgainBesideHostsThatAreNoHypervisors(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.of(depot+"\ntask \"command\" \"beside\" {\n  stage = \"nodes\"\n  host = \"h2\"\n  argv = [\"true\"]\n  read_only = true\n}\n", "h1")
	r.changes(o)
	nodes := r.stock("h1")
	cleanup := o
	cleanup.StopAfter, cleanup.CleansUp = "cleanup", true
	r.changes(cleanup)
	equal(t, "the nodes after clean-up", r.stock("h1"), []string{})
	r.changes(o)
	equal(t, "the nodes of the new cluster", r.stock("h1"), nodes)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes again", n)
	}
}

func TestRefusalNamesWhatASecondClusterOnTheSameHypervisorsNeeds(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	shared := strings.Replace(depot, `variable "cidr"`, `variable "published_ports" {
  type    = map(number)
  default = {}
}

variable "network_cidr" {
  type    = string
  default = ""
}

variable "cidr"`, 1)
	o := r.of(strings.Replace(shared, `driver = "box"`, `driver = "crate"`, 1), "h1")
	want := " --set cluster.name=depot-2\nOn the same hypervisors it also needs other values of network_cidr and published_ports, by --var.\nTo rebuild "
	if got := r.unfolded(o, r.refusal(o).Detail); !strings.Contains(got, want) {
		t.Errorf("the refusal is %s\nwant in it %s", got, want)
	}
}

// A restore onto hosts that have lost everything has only the backup to go by.
func TestRestoreKeepsTheNameThatAnOlderSpecGaveTheCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	renamed := strings.Replace(depot, `cluster "depot" {`, "cluster \"depot-box\" {\n  formerly = \"depot\"", 1)
	for of, want := range map[string]string{"depot": "depot", "depot-box": "depot-box"} {
		o := r.of(renamed, "h1")
		o.Restore = engine.Restore{ID: "backup", Cluster: of, Instance: "BACKUP", Pool: "controller"}
		if report := went(t, engine.Plan(t.Context(), o)); report.Cluster != want {
			t.Errorf("the restore of a backup of %s is of the cluster %s, want %s", of, report.Cluster, want)
		}
	}
	o := r.of(renamed, "h1")
	o.Restore = engine.Restore{ID: "backup", Cluster: "depot", Instance: "BACKUP", Pool: "controller"}
	r.changes(o)
	equal(t, "the nodes", r.stock("h1"), []string{"box/depot-compute-01=10.0.0.2", "box/depot-controller-01=10.0.0.1"})
	after := r.of(renamed, "h1")
	if report := went(t, engine.Plan(t.Context(), after)); report.Cluster != "depot" {
		t.Errorf("after the restore the cluster is %s", report.Cluster)
	}
}

// A sweep of a playbook with the owner of a cluster would remove the cluster's keys and record, and stop its nodes.
func TestPlaybookWithTheNameOfAClusterTouchesNothingOfIt(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(depot, "h1"))
	nodes := r.stock("h1")
	record := r.run("h1", "cat /var/lib/kinit/clusters/depot/cluster.json")
	tool := `
spec "tool" {
  owner = "depot"
}
stage "cleanup" {}
task "sweep" "owned" {
  stage = "cleanup"
  hosts = run.hosts
  all   = run.stop_after == "cleanup"
}
`
	for _, stop := range []string{"", "cleanup"} {
		o := r.of(tool, "h1")
		o.StopAfter = stop
		d := r.refusal(o)
		if !strings.HasPrefix(d.Detail, "depot on h1 is a cluster, and this spec has the same owner and no cluster: ") ||
			!strings.HasSuffix(d.Detail, ". Its sweeps would remove the cluster's keys, record and nodes. Nothing was changed. Give the spec another owner. To work on the cluster or to remove it, use the spec that describes it.") {
			t.Errorf("stop after %q: %s: %s", stop, d.Summary, d.Detail)
		}
		o.Adopt = true
		r.refusal(o)
	}
	equal(t, "the nodes", r.stock("h1"), nodes)
	equal(t, "the record", r.run("h1", "cat /var/lib/kinit/clusters/depot/cluster.json"), record)
	if n := r.changes(r.of(depot, "h1")); n != 0 {
		t.Errorf("%d changes afterwards", n)
	}
}

// The sweeps of a cluster would remove what a playbook with the cluster's name has made.
func TestClusterWithTheOwnerOfAPlaybookTouchesNothingOfIt(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.changes(r.of(`
spec "tool" {
  owner = "depot"
}
stage "files" {}
task "copy" "report" {
  stage   = "files"
  hosts   = run.hosts
  dest    = "/srv/report"
  content = "figures"
}
`, "h1"))
	for _, stop := range []string{"", "cleanup"} {
		o := r.of(depot, "h1")
		o.StopAfter, o.Adopt = stop, false
		d := r.refusal(o)
		if !strings.HasPrefix(d.Detail, "depot on h1 is what a playbook without a cluster has made, and this cluster has the same name: ") ||
			!strings.HasSuffix(d.Detail, "; if the cluster has become part of the playbook, give --adopt.") {
			t.Errorf("stop after %q: %s: %s", stop, d.Summary, d.Detail)
		}
	}
	if text := r.run("h1", "cat /srv/report"); text != "figures" {
		t.Errorf("/srv/report has %q", text)
	}
}
