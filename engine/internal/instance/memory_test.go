package instance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func knows(t *testing.T, m Memory, id string, want bool) {
	t.Helper()
	if got, err := m.Knows(id); err != nil || got != want {
		t.Errorf("knows %q: %v, %v, want %v", id, got, err, want)
	}
}

func TestAControllerKnowsWhatItRemembers(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: filepath.Join(t.TempDir(), "state", "instances")}
	one := New("alice@ws", "site.hcl", "")
	knows(t, m, one.ID, false)
	for _, hosts := range [][]string{{"b"}, {"a", "b"}, {"b"}} {
		if err := m.Remember(Known{Instance: one, Owner: "web", Hosts: hosts}); err != nil {
			t.Fatal(err)
		}
	}
	knows(t, m, one.ID, true)
	knows(t, m, New("alice@ws", "site.hcl", "").ID, false)
	got, _, err := m.read(one.ID)
	if diff := cmp.Diff(Known{Instance: one, Owner: "web", Hosts: []string{"a", "b"}}, got); err != nil || diff != "" {
		t.Errorf("%v, remembered (-want +got):\n%s", err, diff)
	}
	info, err := os.Stat(path(m.Folder, one.ID))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	entries, err := os.ReadDir(m.Folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %d files, want 1", err, len(entries))
	}
}

func TestAControllerKnowsWhereAnOwnerMayBe(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: t.TempDir()}
	for owner, hosts := range map[string][]string{"web": {"a", "b"}, "db": {"c"}} {
		if err := m.Remember(Known{Instance: New("alice@ws", owner, ""), Owner: owner, Hosts: hosts}); err != nil {
			t.Fatal(err)
		}
	}
	for host, want := range map[string]bool{"a": true, "b": true, "c": false} {
		if got, err := m.MayBeOn("web", host); err != nil || got != want {
			t.Errorf("web on %s: %v, %v, want %v", host, got, err, want)
		}
	}
}

func TestControllerForgetsHostsWithoutTheOwner(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: t.TempDir()}
	one := New("alice@ws", "", "")
	for owner, k := range map[string]Known{"web": {one, "web", []string{"a", "b"}}, "db": {New("alice@ws", "", ""), "db", []string{"a"}}} {
		if err := m.Remember(k); err != nil {
			t.Fatal(owner, err)
		}
	}
	if err := m.Forget("web", []string{"a", "c"}); err != nil {
		t.Fatal(err)
	}
	on, err := m.On("web")
	if diff := cmp.Diff(map[string]Instance{"b": one}, on); err != nil || diff != "" {
		t.Errorf("%v, web is on (-want +got):\n%s", err, diff)
	}
	if may, err := m.MayBeOn("db", "a"); err != nil || !may {
		t.Errorf("db on a: %v, %v", may, err)
	}
	if err := m.Forget("web", []string{"b"}); err != nil {
		t.Fatal(err)
	}
	knows(t, m, one.ID, true)
}

func TestNothingIsKnownWithoutAFolder(t *testing.T) {
	t.Parallel()
	one := New("alice@ws", "", "")
	if err := (Memory{}).Remember(Known{Instance: one, Owner: "web", Hosts: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	knows(t, Memory{}, one.ID, false)
	if _, found, err := (Memory{}).Beside("web", nil); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

// What a host says is an id may be anything.
func TestAnIDIsNoPath(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(m.Folder, "..", "x.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../x", "", ".", "a/b"} {
		knows(t, m, id, false)
	}
}

func TestAFileThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: t.TempDir()}
	if err := os.WriteFile(path(m.Folder, "ABC"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Knows("ABC"); err == nil || !strings.HasPrefix(err.Error(), "read what is known of the instance ABC: ") {
		t.Errorf("error %v", err)
	}
}

func TestTheLastInstanceOfAnOwnerElsewhereIsFound(t *testing.T) {
	t.Parallel()
	m := Memory{Folder: t.TempDir()}
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, k := range []Known{
		{Instance{ID: "old", Made: made}, "web", []string{"a", "b"}},
		{Instance{ID: "new", Made: made.Add(time.Hour)}, "web", []string{"b"}},
		{Instance{ID: "other", Made: made.Add(2 * time.Hour)}, "db", []string{"c"}},
	} {
		if err := m.Remember(k); err != nil {
			t.Fatal(err)
		}
	}
	for asked, want := range map[string]string{"a": "new", "b": "old", "a b": "", "b c": "old", "d": "new", "": "new"} {
		got, found, err := m.Beside("web", strings.Fields(asked))
		if err != nil || got.ID != want || found != (want != "") {
			t.Errorf("beside %q: %q, %v, %v, want %q", asked, got.ID, found, err, want)
		}
	}
}

func TestIDsAreRandomAndShort(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		id := New("", "", "").ID
		if seen[id] || len(id) != 26 || !anID.MatchString(id) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

func TestAJobKnowsOnlyInstancesOfItsOwnRuns(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	controller := Memory{Folder: filepath.Join(folder, "state")}
	first := Memory{Folder: filepath.Join(folder, "first")}
	second := Memory{Folder: filepath.Join(folder, "second"), Earlier: []string{first.Folder}}
	production, trial := New("alice@ws", "prod.hcl", ""), New("alice@ws", "prod.hcl", "nightly")
	for _, err := range []error{
		controller.Remember(Known{Instance: production, Owner: "web", Hosts: []string{"a", "b"}}),
		first.Remember(Known{Instance: trial, Owner: "web", Hosts: []string{"a", "c"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	knows(t, controller, trial.ID, false) // no person builds on what the job removes
	for _, m := range []Memory{first, second} {
		knows(t, m, production.ID, false)
		knows(t, m, trial.ID, true)
		for host, want := range map[string]bool{"b": false, "c": true} {
			if may, err := m.MayBeOn("web", host); err != nil || may != want {
				t.Errorf("may be on %s: %v, %v, want %v", host, may, err, want)
			}
		}
		if got, _, err := m.Beside("web", []string{"a"}); err != nil || got.ID != trial.ID {
			t.Errorf("beside a there is %q, %v", got.ID, err)
		}
	}
}
