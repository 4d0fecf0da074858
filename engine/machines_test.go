package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/nodetest"
)

// called adds a host to the inventory: another name of one that is there.
func (r *rack) called(name, host string) {
	r.t.Helper()
	s := r.servers[host]
	r.named(name, s.Host, s.Port, s.User, s.ClientKey, s.KnownHosts, "linux")
}

// windows adds a simulated machine to the inventory, which is reached over SSH.
func (r *rack) windows(name string, n *nodetest.Node) {
	r.t.Helper()
	folder := r.t.TempDir()
	key, known := filepath.Join(folder, "key"), filepath.Join(folder, "known_hosts")
	write(r.t, key, n.Key)
	write(r.t, known, fmt.Sprintf("[127.0.0.1]:%d %s\n", n.SSH, n.HostKey))
	r.named(name, "127.0.0.1", n.SSH, nodetest.User, key, known, "windows")
}

func (r *rack) named(name, address string, port int, user, key, known, system string) {
	r.t.Helper()
	text, err := os.ReadFile(r.inventory)
	if err != nil {
		r.t.Fatal(err)
	}
	write(r.t, r.inventory, string(text)+fmt.Sprintf("host %q {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  known_hosts = %q\n  os = %q\n}\n",
		name, address, port, user, key, known, system))
}

// at is where the server of a host is.
func (r *rack) at(host string) string {
	return fmt.Sprintf("%s:%d", r.servers[host].Host, r.servers[host].Port)
}

func (r *rack) machineID(host string) string {
	r.t.Helper()
	return strings.TrimSpace(r.run(host, "cat /etc/machine-id"))
}

const anotherID = "0123456789abcdef0123456789abcdef"

// reinstall leaves nothing of a host but its name and its keys.
func (r *rack) reinstall(host string) {
	r.t.Helper()
	r.run(host, "rm -rf /srv/nodes /var/lib/kinit; echo "+anotherID+" >/etc/machine-id")
}

// refused checks that a plan and a run end with one error, and that the run changes nothing.
func (r *rack) refused(o engine.Options, summary, detail string, hosts ...string) {
	r.t.Helper()
	state := func() string {
		text := ""
		for _, h := range hosts {
			text += r.run(h, "cat /etc/machine-id; find /srv/nodes /var/lib/kinit -type f 2>/dev/null | sort | xargs -r sha256sum")
		}
		return text
	}
	before := state()
	for name, do := range map[string]func() *engine.Report{
		"plan": func() *engine.Report { return engine.Plan(r.t.Context(), o) },
		"run":  func() *engine.Report { return engine.Run(r.t.Context(), o) },
	} {
		if d := problem(r.t, do()); d.Warning || d.Summary != summary || d.Detail != detail {
			r.t.Errorf("%s: %s: %s\nwant %s", name, d.Summary, d.Detail, detail)
		}
	}
	if after := state(); after != before {
		r.t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestOneHypervisorUnderTwoNamesIsRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.called("h1b", "h1")
	const twice = `The names "h1" and "h1b" lead to the same machine: the machine-id, %s, and the boot are the same. Nothing was changed. %s. If they are containers with a copied /etc/machine-id, give each one its own.`
	r.refused(r.options("h1,h1b"), "Same machine twice", fmt.Sprintf(twice, r.machineID("h1"), "Keep one of the names, in --hosts and in the pools"), "h1")

	r.changes(r.options("h1"))
	nodes := r.nodes("h1")
	r.refused(r.options("h1,h1b"), "Same machine twice", fmt.Sprintf(twice, r.machineID("h1"), `The cluster knows it as h1: leave out "h1b", in --hosts and in the pools`), "h1")
	r.refused(r.options("h1b,h2"), "Machine has another name",
		fmt.Sprintf(`The machine that answers as h1b is the one that the cluster "boxes" knows as h1: it has the recorded machine-id, %s, and the record of the cluster. Nothing was changed. Name it h1 in the inventory and in --hosts.`, r.machineID("h1")), "h1", "h2")
	_, report := engine.State(t.Context(), r.options("h1,h1b"))
	if len(report.Diagnostics) != 1 || !report.Diagnostics[0].Warning || report.Diagnostics[0].Summary != "Same machine twice" {
		t.Errorf("status: %s", problems(report))
	}

	// Both pieces of advice work, and change nothing.
	if n := r.changes(r.options("h1")); n != 0 {
		t.Errorf("%d changes", n)
	}
	if n := r.changes(r.options("h1,h2")); n == 0 {
		t.Error("h2 got no record")
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), nodes)
}

func TestHypervisorsWithOneMachineIDAndDifferentBootsAreAWarning(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.run("h2", "echo "+r.machineID("h1")+" >/etc/machine-id; echo b6f1d1a8-0000-4000-8000-000000000001 >/tmp/boot; mount --bind /tmp/boot /proc/sys/kernel/random/boot_id")
	want := []string{fmt.Sprintf(`The machines "h1" and "h2" have the same machine-id, %s, as copies of one disk image do. kinit cannot tell whether such a machine was exchanged. Give all but one a machine-id of their own: remove /etc/machine-id and /var/lib/dbus/machine-id, run systemd-machine-id-setup and restart the machine; on Windows, run sysprep /generalize.`, r.machineID("h1"))}
	o := r.options("h1,h2")
	equal(t, "the plan's warnings", warnings(engine.Plan(t.Context(), o)), want)
	equal(t, "the run's warnings", warnings(went(t, engine.Run(t.Context(), o))), want)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes in the second run", n)
	}
	nodes := r.nodes("h1", "h2")

	// The advice works, whichever machine gets another id.
	r.run("h1", "echo "+anotherID+" >/etc/machine-id")
	equal(t, "the warnings with an id for each", warnings(went(t, engine.Run(t.Context(), o))), []string(nil))
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes", n)
	}
	equal(t, "the nodes", r.nodes("h1", "h2"), nodes)
}

func TestMissingMachineIDIsNotCompared(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.run("h1", "rm /etc/machine-id")
	r.run("h2", "echo uninitialized >/etc/machine-id")
	o := r.options("h1,h2")
	r.changes(o)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes in the second run", n)
	}
	r.run("h1", "echo "+anotherID+" >/etc/machine-id")
	if report := went(t, engine.Run(t.Context(), o)); len(report.Diagnostics) != 0 {
		t.Errorf("an id that appears: %s", problems(report))
	}
	r.run("h1", ": >/etc/machine-id")
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes when the id is gone again", n)
	}
}

func TestRebootIsNoOtherMachine(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	o := r.options("h1")
	r.changes(o)
	r.run("h1", "echo b6f1d1a8-0000-4000-8000-000000000001 >/tmp/boot; mount --bind /tmp/boot /proc/sys/kernel/random/boot_id")
	if report := went(t, engine.Run(t.Context(), o)); report.Changes() != 0 || len(report.Diagnostics) != 0 {
		t.Errorf("%d changes, %s", report.Changes(), problems(report))
	}
}

func TestReinstalledHypervisorIsRefusedAndAcceptedAsLost(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	old := r.machineID("h2")
	r.reinstall("h2")
	r.refused(o, "Different machine", fmt.Sprintf(`The machine that answers as h2 at %s has the machine-id %s, and the cluster "boxes" has recorded %s. Nothing was changed. The address or port of h2 in the inventory may lead to another machine: correct it then. Only if h2 was reinstalled, give --lost h2: its nodes are recreated on other hosts, and later runs without --lost use it as a new hypervisor.`, r.at("h2"), anotherID, old), "h1", "h2")

	// As the error says: the node leaves, and the same command again recreates it.
	lost := o
	lost.Lost = []string{"h2"}
	equal(t, "what comes back", went(t, engine.Run(t.Context(), lost)).Returning, []string{"boxes-compute-01"})
	r.changes(lost)
	here := []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"}
	equal(t, "the nodes", r.nodes("h1", "h2"), here)

	// Without --lost it is a new hypervisor.
	r.changes(o)
	equal(t, "the nodes", r.nodes("h1", "h2"), here)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes again", n)
	}
	r.changes(r.options("h1,h2", "pool.compute.count=2"))
	equal(t, "the nodes", r.nodes("h1", "h2"), append(here, "h2 boxes-compute-02 10.0.0.3"))
}

func TestReinstalledFirstHypervisorIsAcceptedAsLost(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	r.reinstall("h1")
	lost := o
	lost.Lost = []string{"h1"}
	r.changes(lost)
	r.changes(lost)
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h2 boxes-compute-01 10.0.0.2", "h2 boxes-controller-01 10.0.0.1"})
	r.changes(o)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes again", n)
	}
}

func TestChangedMachineIDCanBeWrittenBack(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	old := r.machineID("h2")
	r.run("h2", "echo "+anotherID+" >/etc/machine-id")
	r.refused(o, "Different machine", fmt.Sprintf(`The machine that answers as h2 at %s has the machine-id %s, and the cluster "boxes" has recorded %s. Nothing was changed. The address or port of h2 in the inventory may lead to another machine: correct it then. This machine has the record of the cluster, so it was not reinstalled: if its machine-id was changed, write the recorded one back into /etc/machine-id.`, r.at("h2"), anotherID, old), "h1", "h2")
	r.run("h2", "echo "+old+" >/etc/machine-id")
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes", n)
	}
}

func TestExchangedHypervisorsAreNotGivenUp(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	one, two := r.machineID("h1"), r.machineID("h2")
	text, err := os.ReadFile(r.inventory)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.inventory, strings.NewReplacer(`"h1"`, `"h2"`, `"h2"`, `"h1"`).Replace(string(text)))
	report := engine.Run(t.Context(), o)
	var got []string
	for _, d := range report.Diagnostics {
		got = append(got, d.Detail)
	}
	const want = `The machine that answers as %s at %s has the machine-id %s, and the cluster "boxes" has recorded %s. Nothing was changed. That is the machine which the record has as %s: correct the address and port of %s in the inventory.`
	equal(t, "the errors", got, []string{fmt.Sprintf(want, "h1", r.at("h2"), two, one, "h2", "h1"), fmt.Sprintf(want, "h2", r.at("h1"), one, two, "h1", "h2")})
}

func TestLostRejectsAHostThatAnswersWithItsRecordedIdentity(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	const answers = `--lost names h2, but that host answers, and %s. Its nodes would run twice. Nothing was changed. To take its nodes away, use 'kinit evacuate SPEC h2'. To give the host up, switch it off, and then give --lost h2.`
	for _, hosts := range []string{"h1,h2", "h1"} {
		lost := r.options(hosts)
		lost.Lost = []string{"h2"}
		r.refused(lost, "Host is not lost", fmt.Sprintf(answers, "it has the machine-id that is recorded"), "h1", "h2")
	}

	// A record from before there were identities.
	old := func(host string) {
		r.run(host, `sed -zi 's/,\n *"machine": "[^"]*"//g' /var/lib/kinit/clusters/boxes/cluster.json`)
	}
	lost := o
	lost.Lost = []string{"h2"}
	old("h1")
	old("h2")
	r.refused(lost, "Host is not lost", fmt.Sprintf(answers, "it has the record of the cluster"), "h1", "h2")
	r.run("h2", "rm /var/lib/kinit/clusters/boxes/cluster.json")
	r.refused(lost, "Host is not lost", fmt.Sprintf(answers, "it has nodes of the cluster: boxes-compute-01"), "h1", "h2")

	// The advice works.
	away := r.options("h1,h2")
	away.Evacuate = []string{"h2"}
	r.changes(away)
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h1 boxes-controller-01 10.0.0.1"})
	r.servers["h2"].Stop()
	r.changes(lost)
	equal(t, "the nodes", r.nodes("h1"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
}

func TestLostRejectsAHostWithANewMachineIDThatStillHasItsNodes(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	r.changes(o)
	old := r.machineID("h2")
	r.run("h2", "echo "+anotherID+" >/etc/machine-id")
	lost := o
	lost.Lost = []string{"h2"}
	refusal := func(has string) string {
		return fmt.Sprintf(`--lost names h2. That host answers with the machine-id %s, and the cluster "boxes" has recorded %s; but it was not reinstalled, since it has %s. Its nodes would run twice. Nothing was changed. To keep them, write the recorded machine-id back into /etc/machine-id, and leave --lost out. To give the host up with its data, switch it off, and then give --lost h2.`, anotherID, old, has)
	}
	r.refused(lost, "Host is not lost", refusal("nodes of the cluster: boxes-compute-01"), "h1", "h2")
	r.run("h2", "cp /var/lib/kinit/clusters/boxes/cluster.json /srv/kept; rm /var/lib/kinit/clusters/boxes/cluster.json")
	r.refused(lost, "Host is not lost", refusal("nodes of the cluster: boxes-compute-01"), "h1", "h2")
	r.run("h2", "mv /srv/kept /var/lib/kinit/clusters/boxes/cluster.json; mv /srv/nodes /srv/away")
	r.refused(lost, "Host is not lost", refusal("the record of the cluster"), "h1", "h2")
	r.run("h2", "mv /srv/away /srv/nodes")

	// Both ways out work.
	r.run("h2", "echo "+old+" >/etc/machine-id")
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes", n)
	}
	r.run("h2", "echo "+anotherID+" >/etc/machine-id")
	r.servers["h2"].Stop()
	r.changes(lost)
	r.changes(lost)
	equal(t, "the nodes of h1", r.nodes("h1"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
}

// A run that was interrupted has written a record without the lost host, and the nodes have not left yet.
func TestInterruptedRunKeepsTheIdentityOfALostHost(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2", "h3")
	o := r.options("h1,h2")
	r.changes(o)
	old := r.machineID("h2")
	r.servers["h2"].Stop()
	lost := o
	lost.Lost = []string{"h2"}
	begun := lost
	begun.StopAfter = "record"
	went(t, engine.Run(t.Context(), begun))
	if record := r.run("h1", "cat /var/lib/kinit/clusters/boxes/cluster.json"); !strings.Contains(record, old) {
		t.Errorf("the record does not have the machine-id of h2, %s:\n%s", old, record)
	}

	// Its name leads to another machine of the cluster.
	h1 := r.at("h1")
	text, err := os.ReadFile(r.inventory)
	if err != nil {
		t.Fatal(err)
	}
	settings := func(host string) string {
		return strings.Split(strings.SplitAfter(string(text), "host \""+host+"\" {\n")[1], "}")[0]
	}
	write(t, r.inventory, strings.Replace(string(text), settings("h2"), settings("h1"), 1))
	r.refused(lost, "Host is not lost", fmt.Sprintf(`--lost names h2, and the machine that answers as h2 at %s is h1 of the cluster. Nothing was changed. Correct the address and port of h2 in the inventory. If h2 does not come back, give --lost when its name leads to no other machine.`, h1), "h1")
	write(t, r.inventory, string(text))

	r.changes(lost)
	r.changes(lost)
	if record := r.run("h1", "cat /var/lib/kinit/clusters/boxes/cluster.json"); strings.Contains(record, old) {
		t.Errorf("the record still has the machine-id of h2:\n%s", record)
	}
	equal(t, "the nodes of h1", r.nodes("h1"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
}

func TestOfflinePlanComparesNoMachines(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.called("h1b", "h1")
	o := r.options("h1,h1b")
	if report := engine.Validate(t.Context(), o); problems(report) != "" {
		t.Error(problems(report))
	}
	o.Offline = true
	if report := engine.Plan(t.Context(), o); problems(report) != "" {
		t.Error(problems(report))
	}
}

// withMachines is a cluster of the boxes that has machines of its own as nodes, each with a file.
const withMachines = `
driver "box" {
  summary = "nodes are files"
  default = true
  nodes   = "true"
}

driver "machine" {
  summary  = "nodes are machines that exist"
  existing = true
}

variable "machines" { type = list(string) }

cluster "boxes" {
  pool "controller" { count = 1 }
  pool "own" {
    hosts  = var.machines
    driver = "machine"
  }
}

stage "record" {}
stage "nodes" { after = ["record"] }
stage "leave" { after = ["nodes"] }

task "copy" "record" {
  stage   = "record"
  hosts   = cluster.hypervisors[*].name
  dest    = cluster.record.path
  content = cluster.record.text
  mode    = "0600"
}

task "copy" "node" {
  stage    = "nodes"
  for_each = toset([for n in cluster.pools.own : n.name if !startswith(n.os, "win")])
  host     = each.key
  dest     = "/srv/node"
  content  = "a node"
}

task "copy" "left" {
  stage   = "leave"
  hosts   = [for h in cluster.hypervisors : h.name if length(cluster.leaving) > 0]
  dest    = cluster.record.path
  content = cluster.record.left
  mode    = "0600"
}

output "leaving" { value = { for name, l in cluster.leaving : name => l.destroy } }
`

// ofMachines are the options for the cluster on h1 with machines.
func (r *rack) ofMachines(names string) engine.Options {
	r.t.Helper()
	o := r.options("h1")
	write(r.t, o.Spec, withMachines)
	o.Vars = map[string]string{"machines": names}
	return o
}

func TestOneMachineAsTwoNodesIsRefused(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "m1")
	r.called("m1b", "m1")
	r.called("h1b", "h1")
	const twice = `The names %q and %q lead to the same machine: the machine-id, %s, and the boot are the same. Nothing was changed. Keep one of the names, in --hosts and in the pools. If they are containers with a copied /etc/machine-id, give each one its own.`
	r.refused(r.ofMachines(`["m1", "m1b"]`), "Same machine twice", fmt.Sprintf(twice, "m1", "m1b", r.machineID("m1")), "h1", "m1")
	r.refused(r.ofMachines(`["m1", "h1b"]`), "Same machine twice", fmt.Sprintf(twice, "h1", "h1b", r.machineID("h1")), "h1", "m1")
}

func TestReinstalledMachineIsRefusedAndAcceptedByReplace(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "m1")
	o := r.ofMachines(`["m1"]`)
	r.changes(o)
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes in the second run", n)
	}
	replace := o
	replace.Leave = []string{"m1"}
	refusal := engine.Run(t.Context(), replace)
	equal(t, "the refusal", []string{refusal.Diagnostics[0].Detail}, []string{`The node "m1" is a machine that exists already, and it was not reinstalled: it answers with the recorded machine-id, or has none to compare. kinit does not recreate such machines. To take it out of the cluster, leave it out of the pool.`})

	old := r.machineID("m1")
	r.run("m1", "rm -rf /srv/node /var/lib/kinit; echo "+anotherID+" >/etc/machine-id")
	r.refused(o, "Different machine", fmt.Sprintf(`The machine that answers as m1 has the machine-id %s, and the cluster "boxes" has recorded %s. Nothing was changed. The address or port of m1 in the inventory may lead to another machine: correct it then. Only if m1 was reinstalled, use 'kinit replace SPEC m1': its node leaves the cluster and joins again.`, anotherID, old), "h1", "m1")

	// As the error says: replace is a run in which the node leaves, and one in which it joins.
	report := went(t, engine.Run(t.Context(), replace))
	equal(t, "what the run removes", removals(report), []string{"node m1: it is replaced, and joins again in a later run with its name and address (named by kinit replace)"})
	equal(t, "what comes back", report.Returning, []string{"m1"})
	equal(t, "what leaves", report.Outputs[0].Value, `{"m1":true}`)
	if text := r.run("m1", "ls /srv"); strings.Contains(text, "node") {
		t.Errorf("m1 has %s", text)
	}
	if n := r.changes(replace); n != 0 {
		t.Errorf("%d changes when the first half is done again", n)
	}
	r.changes(o)
	if text := r.run("m1", "cat /srv/node"); text != "a node" {
		t.Errorf("m1 has %q", text)
	}
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes again", n)
	}
	if record := r.run("h1", "cat /var/lib/kinit/clusters/boxes/cluster.json"); !strings.Contains(record, anotherID) || strings.Contains(record, old) {
		t.Errorf("the record is\n%s", record)
	}
}

func TestWindowsMachinesAreComparedByMachineGuidAndBoot(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	one, two := nodetest.Start(t), nodetest.Start(t)
	for name, node := range map[string]*nodetest.Node{"w1": one, "w1b": one, "w2": two} {
		r.windows(name, node)
	}
	r.changes(r.ofMachines(`["w1", "w2"]`))
	d := problem(t, engine.Plan(t.Context(), r.ofMachines(`["w1", "w1b", "w2"]`)))
	if d.Summary != "Same machine twice" || !strings.HasPrefix(d.Detail, `The names "w1" and "w1b" lead to the same machine: the machine-id, `) || !strings.Contains(d.Detail, `The cluster knows it as w1: leave out "w1b"`) {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	if err := one.Machine.Registry.Set(`HKLM\SOFTWARE\Microsoft\Cryptography`, registry.Text("MachineGuid", "01234567-89ab-cdef-0123-456789abcdef")); err != nil {
		t.Fatal(err)
	}
	d = problem(t, engine.Plan(t.Context(), r.ofMachines(`["w1", "w2"]`)))
	if d.Summary != "Different machine" || !strings.HasPrefix(d.Detail, "The machine that answers as w1 has the machine-id "+anotherID) {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
}

const plain = `
task "directory" "d" {
  hosts = run.hosts
  path  = "/srv/d"
}
`

func TestOneMachineUnderTwoNamesIsOnlyNotedWithoutACluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.called("h1b", "h1")
	o := options(t, plain)
	o.Hosts, o.Inventories = []string{"h1", "h2", "h1b"}, []string{r.inventory}
	want := []string{`The names "h1" and "h1b" lead to the same machine. A task on each of them is done there several times.`}
	equal(t, "the plan's warnings", warnings(engine.Plan(t.Context(), o)), want)
	equal(t, "the run's warnings", warnings(went(t, engine.Run(t.Context(), o))), want)

	o.Hosts = []string{"h1", "h2"}
	equal(t, "the warnings of different machines", warnings(went(t, engine.Run(t.Context(), o))), []string(nil))
}

func TestMachinesThatCannotBeComparedAreNotNoted(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1")
	r.called("h1b", "h1")
	o := options(t, plain)
	o.Hosts, o.Inventories = []string{"h1", "h1b"}, []string{r.inventory}
	r.run("h1", "rm /etc/machine-id")
	equal(t, "the warnings", warnings(went(t, engine.Run(t.Context(), o))), []string(nil))
}

// The port of h2 is that of h3 by mistake, and nothing was reinstalled.
func TestWrongPortInTheInventoryIsNamedBeforeLost(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2", "h3")
	right, err := os.ReadFile(r.inventory)
	if err != nil {
		t.Fatal(err)
	}
	r.run("h3", "echo "+anotherID+" >/etc/machine-id")
	o := r.options("h1,h2")
	r.changes(o)
	wrong := strings.Replace(string(right), strings.Split(strings.SplitAfter(string(right), "host \"h2\" {\n")[1], "}")[0], strings.Split(strings.SplitAfter(string(right), "host \"h3\" {\n")[1], "}")[0], 1)
	write(t, r.inventory, wrong)
	r.refused(o, "Different machine", fmt.Sprintf(`The machine that answers as h2 at %s has the machine-id %s, and the cluster "boxes" has recorded %s. Nothing was changed. The inventory has "h3" at the same address and port: correct those of h2. Only if h2 was reinstalled, give --lost h2: its nodes are recreated on other hosts, and later runs without --lost use it as a new hypervisor.`, r.at("h3"), anotherID, r.machineID("h2")), "h1", "h2", "h3")
	lost := o
	lost.Lost = []string{"h2"}
	r.refused(lost, "Host is not lost", fmt.Sprintf(`--lost names h2, and the machine that answers as h2 at %s is "h3" by the inventory, which has the same address and port for it. Nothing was changed. Correct the address and port of h2 in the inventory. If h2 does not come back, give --lost when its name leads to no other machine.`, r.at("h3")), "h1", "h2", "h3")
	write(t, r.inventory, string(right))
	if n := r.changes(o); n != 0 {
		t.Errorf("%d changes, want none", n)
	}
}

func TestEvacuatingTheOnlyHypervisorWithNodesNeedsTheirNames(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	r.changes(r.options("h1"))
	before := r.nodes("h1")
	o := r.options("h1,h2")
	o.Evacuate = []string{"h1"}
	r.refusedInvalid(o, `All nodes of the cluster "boxes" are on h1: boxes-compute-01, boxes-controller-01. Evacuating it would remove them with their data, and a later run would create them empty. Nothing was changed. Create nodes on another hypervisor first, as by 'kinit replace SPEC boxes-compute-01 --set node.boxes-compute-01.hypervisor=HOST', which drains a node and removes it with the data that only it has. To remove these nodes all the same, give --yes-destroy boxes-compute-01,boxes-controller-01.`)
	equal(t, "the nodes", r.nodes("h1"), before)

	// Both ways out work.
	move := r.options("h1,h2", "node.boxes-compute-01.hypervisor=h2")
	move.Leave = []string{"boxes-compute-01"}
	r.changes(move)
	move.Leave, move.Continues = nil, true
	r.changes(move)
	o.YesDestroy = []string{"boxes-controller-01"}
	r.changes(o)
	equal(t, "the nodes", r.nodes("h1", "h2"), []string{"h2 boxes-compute-01 10.0.0.2"})
}

// refusedInvalid checks that a plan and a run end with one error.
func (r *rack) refusedInvalid(o engine.Options, detail string) {
	r.t.Helper()
	for name, do := range map[string]func() *engine.Report{
		"plan": func() *engine.Report { return engine.Plan(r.t.Context(), o) },
		"run":  func() *engine.Report { return engine.Run(r.t.Context(), o) },
	} {
		report := do()
		if len(report.Diagnostics) != 1 || len(report.Results) > 0 || report.Diagnostics[0].Detail != detail {
			r.t.Errorf("%s: %d results, %s\nwant %s", name, len(report.Results), problems(report), detail)
		}
	}
}

func TestHostsThatNothingNamesDoNotBecomeHypervisorsOfAnExistingCluster(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2", "h3")
	o := r.options("h2,h1")
	r.changes(o)
	all := o
	all.Hosts = nil
	r.refused(all, "New hypervisors not named", `The cluster "boxes" is on h1 and h2. Without --hosts, the run has all hosts of the inventory, and would use h3 for the cluster too. Nothing was changed. To keep the hypervisors, give --hosts h1,h2. To add hosts, name them too: --hosts h1,h2,h3.`, "h1", "h2", "h3")
	if n := r.changes(r.options("h1,h2")); n != 0 {
		t.Errorf("%d changes, want none", n)
	}
	r.changes(r.options("h1,h2,h3"))
	if n := r.changes(all); n != 0 {
		t.Errorf("%d changes, want none", n)
	}
}

func TestNewClusterSaysWhichHostsItTakesWithoutHosts(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1")
	equal(t, "named hosts", engine.Plan(t.Context(), o).Enrols, []string(nil))
	o.Hosts = nil
	equal(t, "hosts of the inventory", engine.Plan(t.Context(), o).Enrols, []string{"h1", "h2"})
}

func TestNodesOfAPlaybookThatNeverRecordsTheirLeavingCannotLeave(t *testing.T) {
	t.Parallel()
	r := newRack(t, "h1", "h2")
	o := r.options("h1,h2")
	write(t, o.Spec, strings.Split(boxes, "# What leaves has left")[0])
	r.changes(o)
	r.servers["h2"].Stop()
	o.Lost = []string{"h2"}
	r.refused(o, "Nodes cannot leave", `The cluster "boxes" would lose boxes-compute-01, and no task of its playbook writes cluster.record.left: the record would have these nodes for good, and no later run would create them again. Nothing was changed. Add a task that writes cluster.record.left to cluster.record.path after the tasks that remove nodes; or rebuild the cluster with --recreate.`, "h1")

	// The advice works.
	write(t, o.Spec, boxes)
	r.changes(o)
	r.changes(r.options("h1"))
	equal(t, "the nodes", r.nodes("h1"), []string{"h1 boxes-compute-01 10.0.0.2", "h1 boxes-controller-01 10.0.0.1"})
}
