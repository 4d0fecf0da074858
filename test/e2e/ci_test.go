package e2e

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	jobresult "kinit/cmd/kinit/ci/result"
)

// The job that is killed, and how many events of its work lie between two places.
const (
	killedJobs = "test/e2e/testdata/ci/jobs.hcl"
	killedJob  = "little-on-demand"
	apart      = 41
)

// killJobs kills a job of the periodic kind at one place of its work after the other, and
// starts it again each time, until it gets to its end: every start has a result, and the
// hypervisors are as they were.
func killJobs(t *testing.T, k *kinit, before map[string]map[string]bool) {
	t.Helper()
	run := []string{"ci", "run", killedJobs, "--output", "json"}
	results := filepath.Join(k.home, "state", "kinit", "ci")
	phases := map[string]bool{}
	starts, begun := 0, 0
	for finished := false; !finished; {
		starts++
		stdout := ""
		stdout, finished = k.killedAfter(t, starts*apart, run...)
		if strings.Contains(stdout, `"phase":"deploy"`) {
			begun++ // else it was removing what the one before had left
		}
		phase := lastPhase(stdout)
		phases[phase] = true
		progress(t, "start %d, finished %v, was in %q", starts, finished, phase)
		// One may die when its result is begun, and nothing is told of it yet.
		if got := verdicts(t, results); len(got) < begun || len(got) > starts {
			t.Fatalf("%d results of %d starts, of which %d began to deploy: %q", len(got), starts, begun, got)
		}
	}
	for _, phase := range []string{"deploy", "again", "verify", "cleanup"} {
		if !phases[phase] {
			t.Errorf("the job was never killed while it did %q", phase)
		}
	}
	got := verdicts(t, results)
	for n, verdict := range got {
		// One that is killed when all is done has passed.
		if verdict != "passed" && (verdict != "removed" || n == len(got)-1) {
			t.Errorf("result %d of a job that was killed %d times is %q: %q", n+1, starts-1, verdict, got)
		}
	}
	progress(t, "a job was killed %d times", starts-1)
	published(t, k, results, len(got))
	asBefore(t, before)
}

// killedAfter starts a job and kills it when it has told so many events, at most a few
// later. It returns what the job printed, and true when it ended before, and well.
func (k *kinit) killedAfter(t *testing.T, events int, args ...string) (string, bool) {
	t.Helper()
	old := logs(t, k)
	var stdout, stderr bytes.Buffer
	cmd := k.command(t.Context(), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in the exit code
		close(ended)
	}()
	for killed := false; ; {
		select {
		case <-ended:
			if killed {
				return stdout.String(), false
			}
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("the job ended with %d\n%s\n%s", code, tail(stdout.String(), 20), tail(stderr.String(), 40))
			}
			return stdout.String(), true
		case <-time.After(5 * time.Millisecond):
			if !killed && told(t, k, old) >= events {
				killed = true
				kill(cmd.Process)
			}
		}
	}
}

// lastPhase is the phase that began last, as the output says.
func lastPhase(stdout string) string {
	phase := ""
	for line := range strings.Lines(stdout) {
		var e struct {
			Kind string
			What struct{ Phase string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Kind == "phase_started" {
			phase = e.What.Phase
		}
	}
	return phase
}

// logs are the logs of all runs.
func logs(t *testing.T, k *kinit) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(k.home, "state", "kinit", "runs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "events.jsonl" {
			all[path] = true
		}
		return nil // a folder that goes away meanwhile has no log
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// told counts the events in the logs that are new.
func told(t *testing.T, k *kinit, old map[string]bool) int {
	t.Helper()
	n := 0
	for path := range logs(t, k) {
		if old[path] {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// verdicts are what the results of the job came to, the oldest first: a verdict, "removed"
// for one that died and left nothing, or whose rests another one removed, or "died".
func verdicts(t *testing.T, dir string) []string {
	t.Helper()
	results, err := jobresult.List(dir, killedJob)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range slices.Backward(results) {
		switch {
		case r.End != nil || r.Alive:
			all = append(all, string(r.Verdict()))
		case r.Orphaned():
			all = append(all, "died")
		default:
			all = append(all, "removed")
		}
	}
	return all
}

// published renders the site and wants a page for every start.
func published(t *testing.T, k *kinit, results string, starts int) {
	t.Helper()
	out := t.TempDir()
	k.must(t, "ci", "site", results, out)
	pages, err := filepath.Glob(filepath.Join(out, "jobs", killedJob, "runs", "*", "index.html"))
	if err != nil || len(pages) != starts {
		t.Errorf("%d pages of %d runs, %v", len(pages), starts, err)
	}
}
