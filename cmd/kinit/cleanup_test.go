package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/test/sequences"
)

// shopOnAHost is a host with the small cluster of the command sequences, and a spec of it with more blocks.
type shopOnAHost struct {
	t    *testing.T
	host *sequences.Host
	rack *sequences.Rack
	dir  string
	home string
}

func newShop(t *testing.T, number int, more string) *shopOnAHost {
	t.Helper()
	rack := sequences.NewRack(t, number, 1)
	s := &shopOnAHost{t: t, host: rack.Hosts[0], rack: rack, dir: t.TempDir(), home: t.TempDir()}
	const mini = "../../test/sequences/mini"
	for from, to := range map[string]string{"mini.hcl": "mini/mini.hcl", "shop.spec.hcl": "shop.hcl"} {
		text, err := os.ReadFile(filepath.Join(mini, from))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(s.dir, to)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(s.dir, to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.spec(more)
	return s
}

// spec adds blocks to the spec.
func (s *shopOnAHost) spec(more string) {
	s.t.Helper()
	text, err := os.ReadFile("../../test/sequences/mini/shop.spec.hcl")
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, "shop.hcl"), append(text, more...), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// kinit runs a command on the spec, which must end with a code.
func (s *shopOnAHost) kinit(code int, verb string, flags ...string) string {
	s.t.Helper()
	r := inProcess(sequences.Call{Args: append([]string{verb, "shop.hcl", "-i", s.rack.Inventory, "--hosts", "h1"}, flags...), Dir: s.dir, Home: s.home})
	out := r.Out + r.Err
	if r.Code != code {
		s.t.Fatalf("kinit %s %s ends with code %d, want %d:\n%s", verb, strings.Join(flags, " "), r.Code, code, out)
	}
	return out
}

// has reports whether a path exists on the host.
func (s *shopOnAHost) has(name string) bool {
	_, err := os.Lstat(s.host.Root + name)
	return err == nil
}

// says checks that a text has certain parts.
func (s *shopOnAHost) says(out string, parts ...string) {
	s.t.Helper()
	flat := strings.Join(strings.Fields(out), " ")
	for _, part := range parts {
		if !strings.Contains(flat, part) {
			s.t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

func TestCleanUpDropsPendingHandlersOfTheClusterAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t, 211, `
handler "command" "reload" { argv = ["false"] }
task "copy" "config" {
  stage      = "nodes"
  hosts      = local.hosts
  dest       = "/srv/shop-config"
  content    = "x"
  notify     = [handler.command.reload]
}
`)
	s.kinit(1, "run")
	if !s.has("/var/lib/kinit/pending") {
		t.Fatal("no notification is stored")
	}
	out := s.kinit(0, "run", "--stop-after", "cleanup")
	s.says(out, "Pending handler is gone", "handler.command.reload", "The notification is dropped")
	s.lacks("/srv/shop-config", "/var/lib/kinit/pending", "/var/lib/kinit/clusters")
}

const sharedFolder = `
task "directory" "data" {
  stage = "nodes"
  hosts = local.hosts
  path  = "/srv/shop-data"
}
`

// lacks checks that the host does not have some paths.
func (s *shopOnAHost) lacks(names ...string) {
	s.t.Helper()
	for _, name := range names {
		if s.has(name) {
			s.t.Errorf("clean-up leaves %s", name)
		}
	}
}

func (s *shopOnAHost) put(name string) {
	s.t.Helper()
	if err := os.WriteFile(s.host.Root+name, []byte("foreign\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shopOnAHost) remove(name string) {
	s.t.Helper()
	if err := os.Remove(s.host.Root + name); err != nil {
		s.t.Fatal(err)
	}
}

// A folder that a foreign file kept through --recreate goes with the next clean-up, once the file has gone.
func TestFolderThatHeldForeignFilesDuringRecreateGoesWithTheNextCleanUp(t *testing.T) {
	t.Parallel()
	s := newShop(t, 221, sharedFolder)
	s.kinit(0, "run")
	s.put("/srv/shop-data/foreign")
	s.kinit(0, "run", "--recreate")
	if !s.has("/srv/shop-data/foreign") {
		t.Fatal("the foreign file is gone")
	}
	s.kinit(0, "plan") // as declared
	s.remove("/srv/shop-data/foreign")
	s.kinit(0, "run", "--stop-after", "cleanup")
	s.lacks("/srv/shop-data", "/var/lib/kinit/left", "/var/lib/kinit/clusters")
}

// A controller that does not know the cluster deploys onto what a clean-up left as onto a clean host, and a clean-up without a
// cluster removes the folder.
func TestFolderThatACleanUpLeftDoesNotKeepOthersFromDeploying(t *testing.T) {
	t.Parallel()
	s := newShop(t, 231, sharedFolder)
	s.kinit(0, "run")
	s.put("/srv/shop-data/foreign")
	s.says(s.kinit(0, "run", "--stop-after", "cleanup"), "folder /srv/shop-data stays: kinit did not make foreign in it")
	s.home = t.TempDir()
	s.kinit(0, "run")
	s.kinit(0, "plan")
	s.kinit(0, "run", "--stop-after", "cleanup")
	s.remove("/srv/shop-data/foreign")
	s.kinit(0, "run", "--stop-after", "cleanup")
	s.lacks("/srv/shop-data", "/var/lib/kinit/left", "/var/lib/kinit/clusters")
}

// A folder that the spec no longer has stays with a foreign file, and the next run without the file removes it.
func TestFolderOutsideOfTheSpecGoesOnceItsForeignFileHasGone(t *testing.T) {
	t.Parallel()
	s := newShop(t, 241, sharedFolder)
	s.kinit(0, "run")
	s.put("/srv/shop-data/foreign")
	s.spec("")
	s.kinit(0, "run")
	s.kinit(0, "plan") // nothing is to be done while the file is there
	s.remove("/srv/shop-data/foreign")
	s.kinit(0, "run")
	if s.has("/srv/shop-data") {
		t.Error("the folder stays")
	}
}
