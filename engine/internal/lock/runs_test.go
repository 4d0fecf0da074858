package lock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
)

// kill does to a run what its process' death does.
func kill(t *testing.T, a *alive) {
	t.Helper()
	if err := a.file.Close(); err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, r Runs, token string) *alive {
	t.Helper()
	a, err := r.begin(token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.end)
	return a
}

func TestTheLockOfARunThatDiedOnThisMachineIsTakenOver(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := filepath.Join(t.TempDir(), "locks", "c1")
	runs := Runs{Folder: t.TempDir()}
	first := begin(t, runs, "me@here/7/first")
	if err := take(t.Context(), h, runs, file, "me@here/7/first"); err != nil {
		t.Fatal(err)
	}
	if answer, err := try(t.Context(), h, file, "me@here/8/second", ""); err != nil || !strings.HasPrefix(answer, "me@here/7/first ") {
		t.Fatalf("a new lock: %q, %v", answer, err)
	}
	kill(t, first)
	if err := take(t.Context(), h, runs, file, "me@here/8/second"); err != nil || len(h.Reports()) > 0 {
		t.Errorf("%v, and waited: %v", err, h.Reports())
	}
}

func TestNobodyIsDeadWhoMayLive(t *testing.T) {
	t.Parallel()
	runs := Runs{Folder: t.TempDir()}
	killed := begin(t, runs, "me@here/1/killed")
	kill(t, killed)
	begin(t, runs, "me@here/2/lives")
	begin(t, runs, "me@here/3/ended").end()
	if err := os.WriteFile(filepath.Join(runs.Folder, "elsewhere"), []byte("another boot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(runs.Folder, "begins"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]bool{
		"me@here/1/killed": true, "me@here/2/lives": false, "me@here/3/ended": false, "me@there/4/elsewhere": false,
		"me@here/5/begins": false, "me@there/6/unknown": false, "..": false, "": false,
	} {
		if got := runs.died(token); got != want {
			t.Errorf("%q has died: %v, want %v", token, got, want)
		}
		if (Runs{}).died(token) {
			t.Errorf("%q has died where nobody knows", token)
		}
	}
}

func TestFilesOfDeadRunsAreRemovedWhenTheirLocksAreDeadToo(t *testing.T) {
	t.Parallel()
	runs := Runs{Folder: t.TempDir()}
	old := time.Now().Add(-lifetime - renewal - time.Minute)
	for _, name := range []string{"dead", "lives", "renewed"} {
		a := begin(t, runs, name)
		if err := os.Chtimes(a.file.Name(), old, old); err != nil {
			t.Fatal(err)
		}
		if name == "renewed" {
			a.renew()
		}
		if name != "lives" {
			kill(t, a)
		}
	}
	begin(t, runs, "new").end()
	for name, want := range map[string]bool{"dead": false, "lives": true, "renewed": true, "new": false} {
		if _, err := os.Stat(runs.path(name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
