package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kinit/test/sequences"
)

// small is a cluster whose nodes are folders on three hosts, and the commands of one user.
type small struct {
	t    *testing.T
	rack *sequences.Rack
	dir  string
}

func newSmall(t *testing.T) *small {
	t.Helper()
	s := &small{t: t, rack: sequences.NewRack(t, 301, 3), dir: t.TempDir()}
	if err := os.CopyFS(filepath.Join(s.dir, "mini"), os.DirFS("../../test/sequences/mini")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.dir, "mini", "shop.spec.hcl"), filepath.Join(s.dir, "shop.hcl")); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"renamed", "sibling", "other"} {
		if err := os.Remove(filepath.Join(s.dir, "mini", other+".spec.hcl")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// kinit runs a command line without its inventory, and checks its exit code.
func (s *small) kinit(code int, line ...string) sequences.Result {
	s.t.Helper()
	r := inProcess(sequences.Call{Args: append(line, "--inventory", s.rack.Inventory), Dir: s.dir, Home: s.dir})
	if r.Code != code {
		s.t.Fatalf("kinit %s: exit code %d, want %d\n%s%s", strings.Join(line, " "), r.Code, code, r.Out, r.Err)
	}
	return r
}

var proposed = regexp.MustCompile(`(?m)^  kinit (run .*) --inventory \S+(.*)$`)

func TestCommandThatStatusProposesNamesWhatItRemoves(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	s.rack.Hosts[1].Shell("echo data >/var/lib/kinit/nodes/shop-web-02/data")
	got := proposed.FindStringSubmatch(s.kinit(4, "status", "shop.hcl", "--hosts", "h1,h2", "--set", "pool.web.count=1").Out)
	if got == nil {
		t.Fatal("status proposes no run")
	}
	command := strings.ReplaceAll(got[1]+got[2], "'", "")
	if want := "run shop.hcl --hosts h1,h2 --set pool.web.count=1 --remove shop-web-02"; command != want {
		t.Fatalf("status proposes %q, want %q", command, want)
	}
	s.kinit(0, strings.Fields(command)...)
	s.kinit(0, "status", "shop.hcl", "--hosts", "h1,h2", "--set", "pool.web.count=1")
}

func TestRemovalsOfRecreateAreNamedByIt(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1")
	r := s.kinit(0, "run", "shop.hcl", "--hosts", "h1", "--recreate")
	if want := "node shop-db-01 on h1, with the address 10.0.0.3: everything is removed and built again (named by --recreate)"; !strings.Contains(r.Out, want) {
		t.Errorf("the run shows\n%s\nwant %s", r.Out, want)
	}
	if strings.Contains(r.Out, "--stop-after") {
		t.Errorf("the run shows a flag that was not given:\n%s", r.Out)
	}
}

// says checks that a text has certain parts, whatever its lines.
func (s *small) says(text string, parts ...string) {
	s.t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if !strings.Contains(flat, part) {
			s.t.Errorf("the output lacks %q:\n%s", part, text)
		}
	}
}

func (s *small) lacks(text string, parts ...string) {
	s.t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, part := range parts {
		if strings.Contains(flat, part) {
			s.t.Errorf("the output has %q:\n%s", part, text)
		}
	}
}

func TestCleanUpOfSomeHostsSaysWhatRemains(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	one := []string{"--set", "pool.web.count=1"}
	command := func(verb, hosts string, more ...string) []string {
		return slices.Concat([]string{verb, "shop.hcl", "--hosts", hosts}, one, more)
	}
	s.kinit(0, command("run", "h1,h2,h3")...)
	const remains = `The cluster "shop" is on h3 too, which this run leaves out: what the cluster has there stays. To remove it, run kinit with --hosts h1,h2,h3 --stop-after cleanup, without --limit and --lost, when all of them answer.`
	s.says(s.kinit(4, command("plan", "h1,h2", "--stop-after", "cleanup")...).Err, remains)
	s.says(s.kinit(4, command("plan", "h1,h2,h3", "--stop-after", "cleanup", "--limit", "h1,h2")...).Err, remains)
	s.says(s.kinit(0, command("run", "h1,h2", "--stop-after", "cleanup")...).Err, remains)
	refusal := s.kinit(1, command("run", "h1")...).Err
	s.says(refusal, `The cluster "shop" exists on h2 and h3, and this run has h1.`, "To work on it, name its hypervisors: --hosts h1,h2,h3. For a second cluster")
	s.lacks(refusal, "on h1:")
	last := s.kinit(0, command("run", "h1,h2,h3", "--stop-after", "cleanup")...)
	s.lacks(last.Err, "stays")
	s.kinit(0, command("run", "h1")...)
}

func TestCleanUpWithALostHostListsOnlyWhatItRemoves(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	s.rack.Hosts[1].Stop()
	s.says(s.kinit(5, "run", "shop.hcl", "--hosts", "h1,h2", "--stop-after", "cleanup").Err, "give --lost h2: what it has stays there.")
	r := s.kinit(0, "run", "shop.hcl", "--hosts", "h1", "--lost", "h2", "--stop-after", "cleanup")
	s.says(r.Out, "node shop-db-01 on h1, with the address 10.0.0.3: everything is removed (named by --stop-after cleanup)")
	s.lacks(r.Out, "shop-web-02 on h2")
	s.says(r.Err, `The cluster "shop" is on h2 too, which this run leaves out: what the cluster has there stays. To remove it, run kinit with --hosts h1,h2 --stop-after cleanup, without --limit and --lost, when all of them answer.`)
	s.rack.Hosts[1].Start()
	s.rack.Hosts[1].Shell("test -d /var/lib/kinit/nodes/shop-web-02")
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2", "--stop-after", "cleanup")
	s.rack.Hosts[1].Shell("test ! -e /srv/kinit")
}

func TestCleanUpWithoutHostsMakesNoHypervisors(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	s.lacks(s.kinit(0, "run", "shop.hcl", "--stop-after", "cleanup").Out, "become hypervisors")
}

func TestJobRefusesAClusterThatIsKnownOnOtherHosts(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1")
	job := func(more string) sequences.Result {
		text := "results = \"results\"\njob \"shop\" {\n  spec = \"shop.hcl\"\n  hosts = [\"h3\"]\n  inventories = [\"" + s.rack.Inventory + "\"]\n" + more + "}\n"
		if err := os.WriteFile(filepath.Join(s.dir, "jobs.hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return inProcess(sequences.Call{Args: []string{"ci", "run", "jobs.hcl"}, Dir: s.dir, Home: s.dir})
	}
	r := job("")
	s.says(r.Out, "refused", `The cluster "shop" exists on h1, and this run has h3. Nothing was changed.`, `Give it a cluster of another name, as in set = ["cluster.name=shop-2"].`)
	if r.Code != 1 {
		t.Errorf("exit code %d, want 1\n%s%s", r.Code, r.Out, r.Err)
	}
	s.rack.Hosts[2].Shell("test ! -e /srv/kinit -a ! -e /var/lib/kinit/clusters")
	if r := job("  set = [\"cluster.name=shop-2\"]\n"); r.Code != 0 {
		t.Errorf("the advice: exit code %d, want 0\n%s%s", r.Code, r.Out, r.Err)
	}
	s.kinit(0, "plan", "shop.hcl", "--hosts", "h1")
}

func TestStatusProposesNoRunThatIsRefused(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	text, err := os.ReadFile(s.rack.Inventory)
	if err != nil {
		t.Fatal(err)
	}
	swapped := filepath.Join(s.dir, "swapped.hcl")
	if err := os.WriteFile(swapped, []byte(strings.NewReplacer(`"h1"`, `"h2"`, `"h2"`, `"h1"`).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	r := inProcess(sequences.Call{Args: []string{"status", "shop.hcl", "--hosts", "h1,h2", "-i", swapped}, Dir: s.dir, Home: s.dir})
	s.says(r.Out+r.Err, "NOT AS DECLARED", "That is the machine which the record has as h2: correct the address and port of h1 in the inventory.")
	s.lacks(r.Out, "REPAIR", "kinit run")

	// Of one recorded machine that answers under another name, no reinstallation is suspected.
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2", "--stop-after", "cleanup")
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1")
	r = inProcess(sequences.Call{Args: []string{"run", "shop.hcl", "--hosts", "h1,h2", "-i", swapped}, Dir: s.dir, Home: s.dir})
	s.says(r.Err, "The recorded machine answers as h2: correct the addresses and ports of h1 and h2 in the inventory.")
	s.lacks(r.Err, "--lost")
}

func TestLimitOutsideOfTheRunIsAnError(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.says(s.kinit(3, "run", "shop.hcl", "--hosts", "h1,h2", "-l", "h3").Err, "--limit means h3, and the run has no task there. Its hosts are h1 and h2; name hosts of the inventory with --hosts to run the tasks on them.")
	s.says(s.kinit(3, "run", "shop.hcl", "--hosts", "h1,h2", "-l", "x*").Err, `--limit names "x*", which is no host and no group of this run. There are h1, h2, h3 and localhost.`)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2", "-l", "h2")
}

// The record is gone from the only host of the run, which still has nodes. Other nodes are on a host that this user has
// deployed to.
func TestHostThatHasLostItsRecordIsNoWholeCluster(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	s.rack.Hosts[0].Shell("rm /var/lib/kinit/clusters/shop/cluster.json")
	s.says(s.kinit(1, "run", "shop.hcl", "--hosts", "h1").Err, `The cluster "shop" exists on h2, and this run has h1. Nothing was changed.`, "To work on it, name its hypervisors: --hosts h1,h2.")
	s.rack.Hosts[0].Shell("test ! -e /var/lib/kinit/nodes/shop-web-02")
	s.kinit(0, "run", "shop.hcl", "--hosts", "h1,h2")
	s.kinit(0, "plan", "shop.hcl", "--hosts", "h1,h2")
}
