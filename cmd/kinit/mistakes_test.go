package main

import (
	"os"
	"path/filepath"
	"regexp"
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
	s.rack.Hosts[1].Shell("echo data >/srv/kinit/nodes/shop-web-02/data")
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
