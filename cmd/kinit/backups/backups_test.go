package backups

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine"
	"kinit/engine/backupfile"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

func TestTheNewestBackupsOfANameAreKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 2, 0, 0, 0, time.FixedZone("CET", 3600)) }
	others := []string{"k8s-test-20261101T010000Z.backup", "k8s-20261101T010000Z.backup.old", "k8s-mine.backup", "k8s-20261101.backup"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := 9; n < 13; n++ {
		if err := os.WriteFile(File(folder, "k8s", day(n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Prune(folder, "k8s", "k8s-20261112T010000Z.backup", 2); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{others[3], "k8s-20261101T010000Z.backup.old", "k8s-20261111T010000Z.backup", "k8s-20261112T010000Z.backup", others[2], others[0]}
	if diff := cmp.Diff(want, left); diff != "" || err != nil {
		t.Errorf("left (-want +got), %v:\n%s", err, diff)
	}
}

func TestBackupJustWrittenIsNeverPruned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there []string // in the order in which they were written
		keep  int
		left  []string
	}{
		"the clock was set back": {
			[]string{"k8s-20261110T010000Z.backup", "k8s-20261111T010000Z.backup", "k8s-20261101T010000Z.backup"}, 2,
			[]string{"k8s-20261101T010000Z.backup", "k8s-20261111T010000Z.backup"},
		},
		"the clock was ahead for a time": {
			[]string{"k8s-20261110T010000Z.backup", "k8s-20301111T010000Z.backup", "k8s-20301112T010000Z.backup", "k8s-20261111T010000Z.backup", "k8s-20261112T010000Z.backup"}, 2,
			[]string{"k8s-20261111T010000Z.backup", "k8s-20261112T010000Z.backup"},
		},
		"only one is kept": {
			[]string{"k8s-20261111T010000Z.backup", "k8s-19700101T000010Z.backup"}, 1,
			[]string{"k8s-19700101T000010Z.backup"},
		},
	} {
		folder := t.TempDir()
		for _, file := range c.there {
			if err := os.WriteFile(filepath.Join(folder, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Prune(folder, "k8s", file, c.keep); err != nil {
				t.Fatal(err)
			}
		}
		var left []string
		entries, err := os.ReadDir(folder)
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if diff := cmp.Diff(c.left, left); diff != "" || err != nil {
			t.Errorf("%s: left (-want +got), %v:\n%s", name, err, diff)
		}
	}
}

func TestWhatABackupSaysReachesThePlaybookAsItIs(t *testing.T) {
	t.Parallel()
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "b")
	const odd = "${var.x} %{ if } \"quoted\"\n\\ ä"
	err = backupfile.Write(file, false, secretfile.Readers{Public: []string{public}}, func(w *backupfile.Writer) (backupfile.Manifest, error) {
		if err := w.Text("pki/odd", odd); err != nil {
			return backupfile.Manifest{}, err
		}
		return backupfile.Manifest{ID: "1f", Owner: "k8s", Instance: "2e", Made: time.Date(2026, 11, 24, 2, 0, 0, 0, time.UTC), About: map[string]string{"domain": "x"}}, w.Text("etcd.db", "data")
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := Keys{Name: "age.key", Identities: secret.Value(text)}
	b, err := keys.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	o := engine.Options{}
	if err := keys.Restore(&o, file, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(engine.Restore{ID: "1f", Cluster: "k8s", Instance: "2e", Pool: "controller"}, o.Restore); diff != "" {
		t.Error(diff)
	}
	if got := value(t, o.Vars["restore_texts"], "pki/odd"); got != odd {
		t.Errorf("%q, want %q", got, odd)
	}
	if got := value(t, o.Vars["restore"], "made"); got != "2026-11-24 02:00 UTC" {
		t.Errorf("made %q", got)
	}
	if got := value(t, o.Vars["restore"], "snapshot_sha256"); got != "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7" {
		t.Errorf("sha256 %q", got)
	}
	b.Parts = b.Parts[:1]
	if err := keys.Restore(&o, file, b); err == nil || err.Error() != "the backup "+file+" has no snapshot of etcd" {
		t.Errorf("%v", err)
	}
}

// value evaluates an expression and returns one of its texts.
func value(t *testing.T, text, name string) string {
	t.Helper()
	expr, problems := hclsyntax.ParseExpression([]byte(text), "x", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	v, problems := expr.Value(nil)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return v.AsValueMap()[name].AsString()
}
