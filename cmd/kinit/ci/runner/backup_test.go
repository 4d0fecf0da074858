package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/engine/transport"
)

func TestAJobThatBacksUpDeploysAndRemovesNothingAndKeepsTheLast(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stages = []string{"verify"} // a playbook without clean-up
	j := job("k8s", "a")
	j.Backup = &jobs.Backup{Folder: filepath.Join(t.TempDir(), "kept", "here"), Recipients: []string{"age1"}, Keep: 2}
	var files []string
	b.answers = func(w Work) Outcome {
		file := regexp.MustCompile(`"(/[^"]*/k8s-[0-9TZ]*\.backup)"`).FindStringSubmatch(w.Options.Vars["backup"])
		if len(w.Options.Only) != 1 || w.Options.Only[0] != "backup" || len(file) != 2 {
			t.Errorf("only %v, backup = %s", w.Options.Only, w.Options.Vars["backup"])
			return fine(0)
		}
		files = append(files, filepath.Base(file[1]))
		if err := os.WriteFile(file[1], nil, 0o600); err != nil {
			t.Error(err)
		}
		return fine(1)
	}
	for range 3 {
		if r := b.run(t, j); r.Verdict() != result.Passed || r.Orphaned() {
			t.Errorf("got %s, orphaned %t", r.Verdict(), r.Orphaned())
		}
	}
	if diff := cmp.Diff([]string{"k8s backup", "k8s backup", "k8s backup"}, b.done); diff != "" {
		t.Error(diff)
	}
	var left []string
	entries, err := os.ReadDir(j.Backup.Folder)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff(files[1:], left); diff != "" || err != nil {
		t.Errorf("kept (-want +got), %v:\n%s", err, diff)
	}
}

func TestABackupThatFailsRemovesNoEarlierOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("k8s", "a")
	j.Backup, j.Retries = &jobs.Backup{Folder: t.TempDir(), Recipients: []string{"age1"}, Keep: 1}, 1
	old := filepath.Join(j.Backup.Folder, "k8s-20250101T000000Z.backup")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.answers = func(Work) Outcome { return broken("a", transport.ErrUnreachable) }
	r := b.run(t, j)
	if r.Verdict() != result.Infrastructure || r.FailedPhase() != result.Backup || len(b.done) != 2 {
		t.Errorf("got %s in %s after %v", r.Verdict(), r.FailedPhase(), b.done)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error(err)
	}
}
