package result

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
)

func start() time.Time { return time.Date(2025, 3, 1, 3, 0, 0, 0, time.UTC) }

func at(minutes int) time.Time { return start().Add(time.Duration(minutes) * time.Minute) }

func header(started time.Time) Header {
	return Header{Job: "web-periodic-weekly", Name: "web", Spec: "web.hcl", Started: started, Program: "v1", Rerun: "kinit ci run ci.hcl"}
}

func create(t *testing.T, dir string, started time.Time) *Record {
	t.Helper()
	r, err := Create(dir, header(started))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func n(i int) *int { return &i }

func read(t *testing.T, folder string) *Result {
	t.Helper()
	r, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := create(t, dir, start())
	deploy := Phase{Name: Deploy, Attempt: 1, Started: at(0), Ended: at(6), OK: true, Changed: n(3), Tasks: 5, Stages: []Stage{{"nodes", time.Minute}}}
	cleanup := Phase{Name: Cleanup, Attempt: 1, Started: at(7), Ended: at(8), OK: true, Leftovers: n(0)}
	end := End{Time: at(9), Verdict: Failed, Phase: Again, Stage: "nodes", Ready: time.Minute,
		Error: &Problem{Summary: "Odd", Signature: "abc"}, Files: []File{{"junit.xml", 3, "ff", true}}}
	must(t, r.Begin(Phase{Name: Deploy, Attempt: 1, Started: at(0)}))
	if got := read(t, r.Folder()); got.Verdict() != Running || got.Orphaned() {
		t.Errorf("a record that is written is %s, orphaned %t", got.Verdict(), got.Orphaned())
	}
	must(t, r.Finish(deploy), r.Begin(Phase{Name: Cleanup, Attempt: 1, Started: at(7)}), r.Finish(cleanup), r.Close(end))
	want := header(start())
	want.Kind, want.Version = "kinit_ci_result", 1
	got := read(t, r.Folder())
	if diff := cmp.Diff(&Result{ID: "20250301T030000Z-1", Folder: r.Folder(), Header: want, Phases: []Phase{deploy, cleanup}, End: &end, Modified: got.Modified}, got); diff != "" {
		t.Error(diff)
	}
	if got.Verdict() != Failed || got.FailedPhase() != Again || got.FailedAt() != "nodes" || got.Orphaned() {
		t.Errorf("got %s in %s at %s, orphaned %t", got.Verdict(), got.FailedPhase(), got.FailedAt(), got.Orphaned())
	}
}

// cutOff is the record of a program that died: its lock is gone, its end is missing.
func cutOff(t *testing.T, dir, torn string, phases ...Phase) *Result {
	t.Helper()
	r := create(t, dir, start())
	for _, p := range phases {
		must(t, r.Begin(Phase{Name: p.Name, Attempt: p.Attempt, Started: p.Started}))
		if !p.Ended.IsZero() {
			must(t, r.Finish(p))
		}
	}
	_, err := r.file.WriteString(torn)
	must(t, err, r.file.Close())
	return read(t, r.Folder())
}

func TestAProgramThatDiesLeavesAnAbortedResult(t *testing.T) {
	t.Parallel()
	deployed := Phase{Name: Deploy, Attempt: 1, Started: at(0), Ended: at(6), OK: true}
	clean := Phase{Name: Cleanup, Attempt: 1, Started: at(7), Ended: at(8), OK: true, Leftovers: n(0)}
	for name, c := range map[string]struct {
		phases   []Phase
		torn     string
		phase    PhaseName
		orphaned bool
	}{
		"before anything":         {nil, "", "", false},
		"while it deploys":        {[]Phase{{Name: Deploy, Attempt: 1, Started: at(0)}}, "", Deploy, true},
		"while it writes":         {[]Phase{deployed}, `{"kind":"phase_sta`, Deploy, true},
		"while it cleans up":      {[]Phase{deployed, {Name: Cleanup, Attempt: 1, Started: at(7)}}, "", Cleanup, true},
		"after it cleaned up":     {[]Phase{deployed, clean}, "", Cleanup, false},
		"when it has restarted":   {[]Phase{deployed, clean, {Name: Deploy, Attempt: 2, Started: at(9)}}, "", Deploy, true},
		"with something left":     {[]Phase{deployed, {Name: Cleanup, Attempt: 1, Started: at(7), Ended: at(8), Leftovers: n(2)}}, "", Cleanup, true},
		"and clean-up had failed": {[]Phase{deployed, {Name: Cleanup, Attempt: 1, Started: at(7), Ended: at(8)}}, "", Cleanup, true},
	} {
		r := cutOff(t, t.TempDir(), c.torn, c.phases...)
		if r.Verdict() != Aborted || r.FailedPhase() != c.phase || r.Orphaned() != c.orphaned {
			t.Errorf("%s: got %s in %q, orphaned %t", name, r.Verdict(), r.FailedPhase(), r.Orphaned())
		}
	}
}

func TestSettledResultsAreNoOrphans(t *testing.T) {
	t.Parallel()
	r := cutOff(t, t.TempDir(), `{"kind":"pha`, Phase{Name: Deploy, Attempt: 1, Started: at(0)})
	must(t, Settle(t.Context(), r.Folder, Settled{Time: at(60)}))
	got := read(t, r.Folder)
	if left, known := got.Leftovers(); got.Orphaned() || left != 0 || !known || got.Verdict() != Aborted || got.Damaged != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestARecordThatIsWrittenCannotBeSettled(t *testing.T) {
	t.Parallel()
	r := create(t, t.TempDir(), start())
	if err := Settle(t.Context(), r.Folder(), Settled{}); err == nil {
		t.Error("it was settled")
	}
	must(t, r.Close(End{})) // until here: the collector closes an unused file
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 10 {
				r, err := Create(dir, header(start()))
				if err == nil {
					err = r.Close(End{Time: at(1), Verdict: Passed})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	all, err := List(dir, "web-periodic-weekly")
	if err != nil || len(all) != 80 {
		t.Fatalf("got %d results, error %v", len(all), err)
	}
	for i, r := range all {
		if want := fmt.Sprintf("20250301T030000Z-%d", 80-i); r.ID != want || r.Verdict() != Passed {
			t.Errorf("result %d is %s, %s", i, r.ID, r.Verdict())
		}
	}
}

func TestWhatIsNoResultIsAnError(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":        "this is no result: it is empty",
		"hello\n": "this is no result: its first line is no header",
		`{"kind":"kinit_ci_result","version":2,"program":"v9"}` + "\n": "the result is of version 2, and this kinit reads versions up to 1; use kinit v9, which wrote it",
	} {
		folder := filepath.Join(t.TempDir(), "job", "20250301T030000Z-1")
		must(t, os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, fileName), []byte(content), 0o600))
		if _, err := List(filepath.Dir(filepath.Dir(folder)), "job"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestPruneKeepsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for day := range 6 {
		r := create(t, dir, start().AddDate(0, 0, day))
		if day != 1 { // this one died
			must(t, r.Close(End{Time: at(1), Verdict: Passed}))
			continue
		}
		must(t, r.Begin(Phase{Name: Deploy, Attempt: 1, Started: at(0)}), r.file.Close())
	}
	living := create(t, dir, start().AddDate(0, 0, -1))
	removed, err := Prune(dir, Limits{Runs: 4}, start().AddDate(0, 0, 6))
	must(t, err)
	if diff := cmp.Diff([]string{filepath.Join(dir, "web-periodic-weekly", "20250301T030000Z-1")}, removed); diff != "" {
		t.Errorf("by count: %s", diff)
	}
	removed, err = Prune(dir, Limits{Age: time.Hour}, start().AddDate(1, 0, 0))
	must(t, err, living.file.Close())
	if len(removed) != 3 {
		t.Errorf("by age: removed %q", removed)
	}
	left, err := List(dir, "web-periodic-weekly")
	must(t, err)
	var names []string
	for _, r := range left {
		names = append(names, r.ID)
	}
	if diff := cmp.Diff([]string{"20250306T030000Z-1", "20250302T030000Z-1", "20250228T030000Z-1"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestSignaturesAreTheSameForFailuresOfAKind(t *testing.T) {
	t.Parallel()
	p := func(host, detail string) Problem {
		return Problem{Summary: "Command failed", Address: `task.wait.ready["` + host + `"]`, Host: host, Detail: detail,
			Command: &event.Command{Line: "kubectl get node " + host}}
	}
	first := Sign(p("k8s-compute-01", `node k8s-compute-01 is not ready after 300s at 10.0.0.2:6443`))
	if len(first) != 12 {
		t.Errorf("got %q", first)
	}
	if again := Sign(p("k8s-compute-02", "node k8s-compute-02 is not ready after 17s at 10.0.0.3:6443\nmore")); again != first {
		t.Errorf("another node, another time: %s and %s", first, again)
	}
	if other := Sign(p("k8s-compute-01", `node k8s-compute-01 is gone after 300s at 10.0.0.2:6443`)); other == first {
		t.Error("another failure has the same signature")
	}
}
