package lock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// kill does to a run what its process' death does.
func kill(t *testing.T, a *alive) {
	t.Helper()
	if err := a.file.Close(); err != nil {
		t.Fatal(err)
	}
}

func lives(t *testing.T, r Runs, token string) *alive {
	t.Helper()
	a, err := r.begin(token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.end)
	return a
}

func TestTheLockOfARunThatDiedOnThisMachineIsTakenOver(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		runs := Runs{Folder: t.TempDir()}
		ask(t, b.lock(t, "me@here/7/first"), take())
		synctest.Test(t, func(t *testing.T) {
			kill(t, lives(t, runs, "me@here/7/first"))
			var told []string
			ctx, g := b.guard(t, "me@here/8/second", &told)
			defer g.Release(t.Context())
			g.options.Runs = runs
			begin := time.Now()
			if err := b.take(t, ctx, g, nil); err != nil || time.Since(begin) > time.Second {
				t.Errorf("after %s: %v", time.Since(begin), err)
			}
			name, _ := b.called()
			if want := name + ": the lock of me@here/7/first"; len(told) != 1 || !strings.HasPrefix(told[0], want) {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	})
}

func TestRunThatMayBeAliveIsNotDead(t *testing.T) {
	t.Parallel()
	runs := Runs{Folder: t.TempDir()}
	killed := lives(t, runs, "me@here/1/killed")
	kill(t, killed)
	lives(t, runs, "me@here/2/lives")
	lives(t, runs, "me@here/3/ended").end()
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
			t.Errorf("%q has died where that is unknown", token)
		}
	}
}

func TestFilesOfDeadRunsAreRemovedWhenTheirLocksAreDeadToo(t *testing.T) {
	t.Parallel()
	runs := Runs{Folder: t.TempDir()}
	old := time.Now().Add(-lifetime - renewal - time.Minute)
	for _, name := range []string{"dead", "lives", "renewed"} {
		a := lives(t, runs, name)
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
	lives(t, runs, "new").end()
	for name, want := range map[string]bool{"dead": false, "lives": true, "renewed": true, "new": false} {
		if _, err := os.Stat(runs.path(name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}
