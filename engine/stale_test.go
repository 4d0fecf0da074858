package engine

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/need"
	"kinit/engine/secret"
)

// Between the question what hosts have of a cluster and the lock, another run may end that has
// made something.
func TestARunNoticesThatTheRecordHasChangedBeforeItHadItsLock(t *testing.T) {
	t.Parallel()
	need.Root(t, "a record for all users")
	name, dir := "test-"+strings.ToLower(rand.Text()), t.TempDir()
	folder := filepath.Join("/var/lib/kinit/clusters", name)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "site.hcl"), "cluster \""+name+"\" {\n  pool \"a\" { count = 1 }\n}\n")
	record := filepath.Join(folder, "cluster.json")
	o := Options{Inputs: Inputs{Spec: "site.hcl", Cwd: dir, Hosts: []string{"localhost"}}, Home: dir, Redactor: &secret.Redactor{}}
	for _, before := range []string{"", `{"version": 1, "generation": 1, "cluster": "` + name + `"}`} {
		if before != "" {
			write(record, before)
			write(filepath.Join(folder, "owned", "file", "record.json"), `{"kind": "file", "id": "`+record+`"}`)
		}
		p, report := makePlan(t.Context(), o, modeRun, newIdentity(o))
		defer p.close()
		if err := report.Diagnostics.Err(); err != nil {
			t.Fatal(err)
		}
		if p.overtaken(t.Context()) {
			t.Errorf("with the record %q: it has changed", before)
		}
		write(record, p.topology.Record)
		if !p.overtaken(t.Context()) {
			t.Errorf("with the record %q: it has not changed", before)
		}
	}
}
