package engine_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/need"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// boxes is a cluster whose nodes are files of its hypervisors.
const boxes = `
driver "box" {
  summary = "nodes are files"
  default = true
  nodes   = <<-LIST
    id=$(sed -n 's/.*"id": "\(.*\)".*/\1/p' owned/instance.json)
    for node in /srv/nodes/*; do [ ! -e "$node" ] || echo "$${node##*/} $1.$id"; done
  LIST
}

cluster "boxes" {
  pod "services" {}
  pool "controller" { count = 1 }
  pool "compute" { count = 1 }
}

stage "cleanup" {}
stage "record" { after = ["cleanup"] }
stage "nodes" { after = ["record"] }
stage "leave" { after = ["nodes"] }

task "sweep" "owned" {
  stage = "cleanup"
  hosts = cluster.hypervisors[*].name
  kinds = ["file"]
  keep  = concat([cluster.record.path], [for n in values(cluster.nodes) : "/srv/nodes/${n.name}" if n.hypervisor == host.name])
}

task "copy" "record" {
  stage   = "record"
  hosts   = cluster.hypervisors[*].name
  dest    = cluster.record.path
  content = cluster.record.text
  mode    = "0600"
}

task "directory" "nodes" {
  stage = "record"
  hosts = cluster.hypervisors[*].name
  path  = "/srv/nodes"
}

task "copy" "node" {
  stage    = "nodes"
  for_each = cluster.nodes
  host     = each.value.hypervisor
  dest     = "/srv/nodes/${each.key}"
  content  = each.value.ip
}

# What leaves has left: clean-up took it.
task "copy" "left" {
  stage   = "leave"
  hosts   = [for h in cluster.hypervisors : h.name if length(cluster.leaving) > 0]
  dest    = cluster.record.path
  content = cluster.record.left
  mode    = "0600"
}
`

// rack is some hosts with roots of their own, which are reached over SSH.
type rack struct {
	t         *testing.T
	enter     map[string][]string
	servers   map[string]*sshd.Server
	inventory string
}

func newRack(t *testing.T, names ...string) *rack {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "nsenter")
	r := &rack{t: t, enter: map[string][]string{}, servers: map[string]*sshd.Server{}, inventory: filepath.Join(t.TempDir(), "inventory.hcl")}
	text := ""
	for _, name := range names {
		pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
		if err != nil {
			need.Missing(t, "overlay", err.Error())
		}
		r.enter[name] = ownroot.Enter(pid)
		s := sshd.Within(t, r.enter[name])
		r.servers[name] = s
		text += fmt.Sprintf("host %q {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  known_hosts = %q\n}\n",
			name, s.Host, s.Port, s.User, s.ClientKey, s.KnownHosts)
	}
	write(t, r.inventory, text)
	return r
}

// options are those of a controller that knows nothing yet.
func (r *rack) options(hosts string, set ...string) engine.Options {
	r.t.Helper()
	o := options(r.t, boxes)
	o.Hosts, o.Inventories, o.Set = strings.Split(hosts, ","), []string{r.inventory}, set
	o.StateDir, o.Adopt = filepath.Join(o.Cwd, "state"), true
	return o
}

// removing are options that name what may be removed.
func (r *rack) removing(name, hosts string, set ...string) engine.Options {
	r.t.Helper()
	o := r.options(hosts, set...)
	o.Remove = strings.Split(name, ",")
	return o
}

// run runs a script on a host.
func (r *rack) run(host, script string) string {
	r.t.Helper()
	argv := append(slices.Clone(r.enter[host]), "sh", "-c", script)
	out, err := exec.CommandContext(r.t.Context(), argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", host, err, out)
	}
	return string(out)
}

// nodes are the nodes of some hosts, with their addresses.
func (r *rack) nodes(hosts ...string) []string {
	r.t.Helper()
	var all []string
	for _, host := range hosts {
		for line := range strings.Lines(r.run(host, `cd /srv/nodes 2>/dev/null || exit 0; for n in *; do [ ! -e "$n" ] || echo "$n $(cat "$n")"; done`)) {
			all = append(all, host+" "+strings.TrimSpace(line))
		}
	}
	return all
}

// changes runs and returns how many tasks have changed something.
func (r *rack) changes(o engine.Options) int {
	r.t.Helper()
	return went(r.t, engine.Run(r.t.Context(), o)).Changes()
}

// problem returns the only diagnostic of a report, which is about what the hosts have.
func problem(t *testing.T, r *engine.Report) diag.Diagnostic {
	t.Helper()
	if len(r.Diagnostics) != 1 || r.Invalid || len(r.Results) > 0 {
		t.Fatalf("invalid %v, %d results, problems: %s", r.Invalid, len(r.Results), problems(r))
	}
	return r.Diagnostics[0]
}

func TestClusterStaysInPlaceForEveryUser(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h2,h1"))
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-01 10.0.0.2"})
	record := r.run("h1", "cat /var/lib/kinit/clusters/boxes/cluster.json")
	if record != r.run("h2", "cat /var/lib/kinit/clusters/boxes/cluster.json") || !strings.Contains(record, "\"generation\": 1,") {
		t.Errorf("the record is\n%s", record)
	}

	// Another controller, another order of hosts, more controllers.
	grown := []string{"h1 boxes-controller-01 10.0.0.1", "h1 boxes-controller-03 10.0.0.4", "h2 boxes-compute-01 10.0.0.2", "h2 boxes-controller-02 10.0.0.3"}
	r.changes(r.options("h2,h1", "pool.controller.count=3"))
	equal(t, "the nodes", r.nodes("h1", "h2"), grown)
	for _, hosts := range []string{"h1,h2", "h2,h1"} {
		if n := r.changes(r.options(hosts, "pool.controller.count=3")); n != 0 {
			t.Errorf("%s: %d changes again", hosts, n)
		}
	}

	// What the hosts say of each other after a run that was killed: the last one is right.
	r.run("h2", `sed -i -e 's/"generation": 2/"generation": 1/' -e 's/"10.0.0.2"/"10.0.0.77"/' /var/lib/kinit/clusters/boxes/cluster.json`)
	if n := r.changes(r.options("h2,h1", "pool.controller.count=3")); n != 1 {
		t.Errorf("%d changes, want the old record's", n)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), grown)

	// Fewer controllers, and then another compute node: the free address is used.
	o := r.options("h1,h2")
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), o)), []string{
		"node boxes-controller-02 on h2, with the address 10.0.0.3: the spec no longer has it (needs --remove boxes-controller-02)",
		"node boxes-controller-03 on h1, with the address 10.0.0.4: the spec no longer has it (needs --remove boxes-controller-03)",
	})
	early := o
	early.StopAfter = "record"
	equal(t, "what a plan removes that ends before nodes leave", removals(engine.Plan(t.Context(), early)), []string(nil))
	named := o
	named.Remove = []string{"boxes-controller-02", "controller-03"}
	r.changes(named)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes after nodes have left", n)
	}
	r.changes(r.options("h1,h2", "pool.compute.count=2"))
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-compute-02 10.0.0.3", "h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-01 10.0.0.2"})
}

func TestANodeMovesOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2", "h3")
	r.changes(r.options("h1", "pool.compute.count=2"))
	three := []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-compute-02 10.0.0.3", "h1 boxes-controller-01 10.0.0.1"}
	r.changes(r.options("h3,h2,h1", "pool.compute.count=2"))
	equal(t, "the nodes on more hosts", r.nodes("h1", "h2", "h3"), three)

	balanced := r.options("h1,h2,h3", "pool.compute.count=2")
	balanced.Rebalance = true
	const moves = "node boxes-compute-02 on h1: it moves to h2, where it is created empty "
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), balanced)), []string{moves + "(needs --remove boxes-compute-02)"})
	named := balanced
	named.Remove = []string{"compute-02"}
	equal(t, "what the run removes", removals(went(t, engine.Run(t.Context(), named))), []string{moves + "(named by --remove compute-02)"})
	spread := []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-02 10.0.0.3"}
	equal(t, "the nodes, balanced", r.nodes("h1", "h2", "h3"), spread)
	if n := r.changes(balanced); n != 0 {
		t.Errorf("%d changes again", n)
	}

	r.changes(r.removing("boxes-compute-01", "h1,h2,h3", "pool.compute.count=2", "node.compute-01.hypervisor=h3"))
	moved := []string{"h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-02 10.0.0.3", "h3 boxes-compute-01 10.0.0.2"}
	equal(t, "the nodes, one moved", r.nodes("h1", "h2", "h3"), moved)
	if n := r.changes(r.options("h2,h3,h1", "pool.compute.count=2")); n != 0 {
		t.Errorf("%d changes without the setting", n)
	}
}

func TestReplicasOfAPodComeAndGo(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2", "services.count=2"))
	away := r.options("h1,h2", "services.count=2")
	away.Evacuate = []string{"h1"}
	said := warnings(engine.Plan(t.Context(), away))
	equal(t, "the warnings of an evacuation", said[len(said)-1:], []string{"The cluster's services run on h1, and kinit does not move them: while that host is down, those on h2 answer."})
	one := r.options("h1,h2")
	equal(t, "what the plan removes", removals(engine.Plan(t.Context(), one)), []string{"pod boxes-pod-01 on h2, with the address 10.0.0.251: the cluster needs 1 of it (needs --remove boxes-pod-01)"})
	r.changes(r.removing("boxes-pod-01", "h1,h2"))
	equal(t, "what the next run removes", removals(engine.Run(t.Context(), one)), []string(nil))
}

func TestNodesLeaveAHypervisorAndComeBack(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2", "pool.compute.count=2")
	r.changes(o)
	before := r.nodes("h1", "h2")
	away := o
	away.Evacuate = []string{"h1"}
	report := went(t, engine.Run(t.Context(), away))
	equal(t, "what the run removes", removals(report), []string{
		"node boxes-compute-02 on h1, with the address 10.0.0.3: h1 is evacuated, and a later run creates it again with its name and address (named by kinit evacuate)",
		"node boxes-controller-01 on h1, with the address 10.0.0.1: h1 is evacuated, and a later run creates it again with its name and address (named by kinit evacuate)",
	})
	equal(t, "the run's warnings", warnings(report), []string{
		"The cluster's services run on h1, and kinit does not move them: while that host is down, the cluster is unreachable.",
	})
	equal(t, "the nodes", r.nodes("h1", "h2"), before[2:])
	if n := r.changes(away); n != 0 {
		t.Errorf("%d changes again", n)
	}
	r.changes(o)
	equal(t, "the nodes that are back", r.nodes("h1", "h2"), before)
}

func TestANodeThatExistsTwiceIsRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	owned := "/var/lib/kinit/clusters/boxes/owned/file"
	name := strings.TrimSpace(r.run("h2", "cd "+owned+" && ls *compute-01*"))
	mark := r.run("h2", "cat "+owned+"/"+name)
	r.run("h1", "printf 10.0.0.2 >/srv/nodes/boxes-compute-01; cat >"+owned+"/"+name+" <<'END'\n"+mark+"END\n")
	for name, do := range map[string]func() *engine.Report{
		"plan": func() *engine.Report { return engine.Plan(t.Context(), o) },
		"run":  func() *engine.Report { return engine.Run(t.Context(), o) },
	} {
		d := problem(t, do())
		if want := `The node "boxes-compute-01" is on h1 and on h2, each with its address and its MAC. Nothing was changed. kinit does not know which copy has the data: look at them first. Say which one stays: to keep the one on h1, give --set node.compute-01.hypervisor=h1 --remove compute-01@h2; to keep the one on h2, give --set node.compute-01.hypervisor=h2 --remove compute-01@h1. Clean-up removes the other with its data.`; d.Summary != "Node exists twice" || d.Detail != want {
			t.Errorf("%s: %s: %s", name, d.Summary, d.Detail)
		}
	}
	if n := r.changes(r.removing("compute-01@h1", "h1,h2", "node.compute-01.hypervisor=h2")); n != 1 {
		t.Errorf("%d changes, want the twin's removal", n)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-controller-01 10.0.0.1", "h2 boxes-compute-01 10.0.0.2"})
}

func TestAHypervisorThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2"))
	d := problem(t, engine.Run(t.Context(), r.options("h1")))
	if want := `The cluster "boxes" has on h2: boxes-compute-01. The run does not have that host: name it by --hosts too. If it does not come back, give --lost h2: its nodes are recreated empty on other hosts.`; d.Summary != "Hypervisor missing" || d.Detail != want {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}

	r.servers["h2"].Stop()
	d = problem(t, engine.Run(t.Context(), r.options("h1,h2")))
	if !strings.HasPrefix(d.Detail, `The cluster "boxes" has on h2: boxes-compute-01. That host does not answer: `) || !errors.Is(d.Cause, transport.ErrUnreachable) {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	limited := r.options("h1,h2")
	limited.Limit = []string{"h1"}
	if n := r.changes(limited); n != 0 {
		t.Errorf("%d changes with --limit h1", n)
	}
	if s, report := engine.State(t.Context(), r.options("h1,h2")); len(s.Hosts) != 2 || !s.Hosts[0].Answers || s.Hosts[1].Answers {
		t.Errorf("status %+v, %s", s.Hosts, problems(report))
	}
	// The node of a lost host leaves, and the next run recreates it. The host gets no task, though the run names it.
	lost := r.options("h1,h2")
	lost.Lost = []string{"h2"}
	report := went(t, engine.Run(t.Context(), lost))
	equal(t, "what comes back", report.Returning, []string{"boxes-compute-01"})
	r.changes(lost)
	equal(t, "the nodes", r.nodes("h1"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})

	// What was gone comes back.
	if err := r.servers["h2"].Restart(t); err != nil {
		t.Fatal(err)
	}
	const twice = `The node "boxes-compute-01" is on h2 and on h1, each with its address and its MAC. Nothing was changed. The copy on h2 is the older one, with the data from before; kinit created the one on h1 empty, while the cluster was without h2. Say which one stays: to keep the one on h2, give --set node.compute-01.hypervisor=h2 --remove compute-01@h1; to keep the one on h1, give --set node.compute-01.hypervisor=h1 --remove compute-01@h2. Clean-up removes the other with its data.`
	r.refused(r.options("h1,h2"), "Node exists twice", twice, "h1", "h2")
	keeps := r.options("h1,h2", "node.compute-01.hypervisor=h1")
	keeps.Remove = []string{"compute-01@h2"}
	report = engine.Plan(t.Context(), keeps)
	equal(t, "what the run removes", removals(report), []string{
		"node boxes-compute-01 on h2: it also exists on h1, where it stays; this copy is the older one, with the data from before (named by --remove compute-01@h2)",
	})
	r.changes(r.removing("compute-01@h2", "h1,h2", "node.compute-01.hypervisor=h1"))
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
}

func TestALimitDoesNotHideTheOnlyHostThatKnowsTheCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	alone := r.options("h1")
	r.changes(alone)
	before := r.nodes("h1")
	limited := r.options("h1,h2")
	limited.StateDir, limited.Limit = alone.StateDir, []string{"h2"}
	r.servers["h1"].Stop()
	for name, do := range map[string]func() *engine.Report{
		"plan": func() *engine.Report { return engine.Plan(t.Context(), limited) },
		"run":  func() *engine.Report { return engine.Run(t.Context(), limited) },
	} {
		d := problem(t, do())
		if want := `Whether the cluster "boxes" exists on h1 is not known: that host does not answer, this controller has worked on the cluster there, and no host that answers has its record. --limit may leave out h1 when it answers or another host has the record. If it does not come back, give --lost h1.`; d.Detail != want || d.Host != "h1" {
			t.Errorf("%s: %s: %s: %s", name, d.Host, d.Summary, d.Detail)
		}
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), before)

	// A cluster of which the controller does not know is a new one.
	fresh := r.options("h1,h2")
	fresh.Limit = limited.Limit
	r.changes(fresh)
	equal(t, "the nodes of a new cluster", r.nodes("h2"), []string{"h2 boxes-compute-01 10.0.0.2"})
}

func TestWithoutHostsAClusterIsShownAsNew(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.servers["h1"].Stop()
	o := r.options("h1")
	d := problem(t, engine.Plan(t.Context(), o))
	if !strings.HasPrefix(d.Detail, `Whether the cluster "boxes" exists on h1 is not known: `) || !errors.Is(d.Cause, transport.ErrUnreachable) {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	if report := engine.Validate(t.Context(), o); !report.Offline || problems(report) != "" {
		t.Errorf("offline %v: %s", report.Offline, problems(report))
	}
	if _, report := engine.Order(t.Context(), o); !report.Offline || problems(report) != "" {
		t.Errorf("offline %v: %s", report.Offline, problems(report))
	}
	o.Offline = true
	report := went(t, engine.Plan(t.Context(), o))
	if !report.Offline || report.Changes() != 5 {
		t.Errorf("offline %v, %d changes", report.Offline, report.Changes())
	}
	for _, result := range report.Results {
		if !result.Pending || !slices.Equal(result.Steps, []string{"known when h1 is asked"}) {
			t.Errorf("%s: %q", result.Address, result.Steps)
		}
	}
}

// Somebody else's cluster of the same name decides nothing; the run is refused for its name.
func TestPlacesOfAnotherInstanceCountOnlyWhenAdopted(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1,h2", "node.controller-01.hypervisor=h2"))
	o := r.options("h1")
	o.Adopt = false
	if d := problem(t, engine.Run(t.Context(), o)); d.Summary != "The name is taken" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	o.Adopt = true
	if d := problem(t, engine.Run(t.Context(), o)); d.Summary != "Hypervisor missing" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
}

func TestClusterThatMustExistIsNotCreated(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	o.MustExist = true
	d := problem(t, engine.Run(t.Context(), o))
	want := "It is not on h1 and h2. This command works on a cluster that exists, and creates none. Give the hosts that have it by --hosts, or create it first by 'kinit run'."
	if d.Summary != `Cluster "boxes" does not exist` || d.Detail != want {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	if made := r.nodes("h1", "h2"); made != nil {
		t.Errorf("made %q", made)
	}
	r.changes(r.options("h1,h2"))
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes to a cluster that exists", n)
	}
	o.Adopt, o.StateDir = false, filepath.Join(o.Cwd, "other")
	if d := problem(t, engine.Run(t.Context(), o)); d.Summary != "The name is taken" {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
}

func TestJobRefusesAClusterThatNoneOfItsRunsMade(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	before := r.nodes("h1", "h2")
	o.Adopt, o.Job = false, engine.Job{Name: "nightly", Folder: filepath.Join(o.Cwd, "job")} // and the same controller
	cleanup := o
	cleanup.StopAfter = "cleanup"
	for _, o := range []engine.Options{o, cleanup} {
		d := problem(t, engine.Run(t.Context(), o))
		if d.Summary != "The name is taken" || !errors.Is(d.Cause, engine.ErrTaken) || !strings.HasPrefix(d.Detail, `no run of the job "nightly" made boxes on h1 and h2: `) {
			t.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	if after := r.nodes("h1", "h2"); !slices.Equal(before, after) {
		t.Errorf("nodes %q, before %q", after, before)
	}
	if _, err := os.Stat(o.Job.Folder); !os.IsNotExist(err) {
		t.Errorf("the job remembers something: %v", err)
	}
}

func TestJobLeavesWhatACommandHasAdopted(t *testing.T) {
	t.Parallel()
	for where, elsewhere := range map[string]bool{"by the same user": false, "on another machine": true} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			r := newRack(t, "h1", "h2")
			job := r.options("h1,h2")
			job.Adopt, job.Job = false, engine.Job{Name: "nightly", Folder: filepath.Join(job.Cwd, "job")}
			r.changes(job) // as a run of the job that was killed leaves it
			adopting := r.options("h1,h2")
			adopting.Adopt, adopting.StateDir = true, job.StateDir
			if elsewhere {
				adopting.StateDir = t.TempDir()
			}
			r.changes(adopting)
			before := r.nodes("h1", "h2")
			cleanup := job
			cleanup.StopAfter = "cleanup"
			for _, o := range []engine.Options{job, cleanup} {
				d := problem(t, engine.Run(t.Context(), o))
				if d.Summary != "The name is taken" || !errors.Is(d.Cause, engine.ErrTaken) || !strings.HasPrefix(d.Detail, `a command outside the job "nightly" has adopted boxes on h1 and h2: `) ||
					!strings.Contains(d.Detail, `in the job "nightly", and `) {
					t.Errorf("%s: %s", d.Summary, d.Detail)
				}
			}
			if after := r.nodes("h1", "h2"); !slices.Equal(before, after) {
				t.Errorf("nodes %q, before %q", after, before)
			}
			adopting.Adopt = false // it is the user's now
			went(t, engine.Run(t.Context(), adopting))
			job.Adopt = true // and the job's again
			r.changes(job)
		})
	}
}

// The cluster keeps its instance if one run removes and builds it.
func TestPlanOfAClusterThatOneRunHasRebuiltIsNotApplied(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	shrinks := o
	shrinks.Remove, shrinks.Set = []string{"compute-01"}, []string{"pool.compute.count=0"}
	saved, report := engine.Save(t.Context(), shrinks)
	went(t, report)
	rebuild := o
	rebuild.Recreate = true
	r.changes(rebuild)
	went(t, engine.Run(t.Context(), o))
	before := r.nodes("h1", "h2")
	d := problem(t, engine.Apply(t.Context(), o, saved))
	if d.Summary != "Saved plan no longer holds" || !strings.Contains(d.Detail, "is another one than the plan was made for") {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), before)
	again, report := engine.Save(t.Context(), shrinks)
	went(t, report)
	went(t, engine.Apply(t.Context(), o, again))
}

func TestPlanOfAClusterThatWasRebuiltIsNotApplied(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.of(depot, "h1,h2")
	r.changes(o)
	shrinks := o
	shrinks.Remove, shrinks.Set = []string{"compute-01"}, []string{"pool.compute.count=0"}
	saved, report := engine.Save(t.Context(), shrinks)
	went(t, report)
	cleanup := o
	cleanup.StopAfter, cleanup.CleansUp = "cleanup", true
	r.changes(cleanup)
	r.changes(o)
	before := slices.Concat(r.stock("h1"), r.stock("h2"))
	d := problem(t, engine.Apply(t.Context(), o, saved))
	if d.Summary != "Saved plan no longer holds" || !strings.HasPrefix(d.Detail, `The cluster "depot" is another one than the plan was made for`) {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	equal(t, "the nodes", slices.Concat(r.stock("h1"), r.stock("h2")), before)
}

// removals are the removals of a report.
func removals(r *engine.Report) []string {
	var all []string
	for _, one := range r.Removals {
		all = append(all, one.String())
	}
	return all
}

// warnings are the warnings of a report.
func warnings(r *engine.Report) []string {
	var all []string
	for _, d := range r.Diagnostics {
		if d.Warning {
			all = append(all, d.Detail)
		}
	}
	return all
}
