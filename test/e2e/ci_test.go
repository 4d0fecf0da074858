package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	jobresult "kinit/cmd/kinit/ci/result"
)

// The job that is killed, and how many events lie between two places of a phase. Without KINIT_ALL,
// every third of these places has its turn.
const (
	killedJobs = "test/e2e/testdata/ci/jobs.hcl"
	killedJob  = "little-on-demand"
	apart      = 41
)

// killJobs kills a job of the periodic kind at many places of each of its phases, and starts
// it again each time, until it gets to its end: every start has a result, and the hypervisors
// are as they were.
func killJobs(t *testing.T, k *kinit, before map[string]map[string]bool) {
	t.Helper()
	results := filepath.Join(k.home, "state", "kinit", "ci")
	kills, begun, next := map[string]int{}, 0, apart
	if os.Getenv("KINIT_ALL") == "" {
		next = 3 * apart
		progress(t, "a sample: killed every %d events; KINIT_ALL=1 kills every %d", next, apart)
	}
	for _, phase := range jobPhases {
		for events, over := 1, false; !over; events += next {
			reached := k.killedIn(t, phase, events, "ci", "run", killedJobs, "--output", "json")
			if reached != "" {
				begun++ // else it was removing what the one before had left
			}
			kills[reached]++
			over = kills[phase] > 0 && reached != phase
			progress(t, "to be killed after %d events of %q, was in %q", events, phase, reached)
			// One may die when its result is begun, and its output does not say so yet.
			starts := sum(kills)
			if got := verdicts(t, results); len(got) < begun || len(got) > starts {
				t.Fatalf("%d results of %d starts, of which %d began to deploy: %q", len(got), starts, begun, got)
			}
			if starts > 60 {
				t.Fatalf("after %d starts the job was never killed while it did %q", starts, phase)
			}
		}
	}
	got := verdicts(t, results)
	for n, verdict := range got {
		// One that is killed when all is done has passed.
		if verdict != "passed" && (verdict != "removed" || n == len(got)-1) {
			t.Errorf("result %d of %d is %q: %q", n+1, len(got), verdict, got)
		}
	}
	progress(t, "a job was killed so often in each phase: %v", kills)
	published(t, k, results, len(got))
	asBefore(t, before)
}

// jobPhases are the phases of a job that works on hosts, in their order.
var jobPhases = []string{"deploy", "again", "verify", "cleanup"}

// ended is the phase that killedIn returns for a job that was not killed.
const ended = "end"

// killedIn starts a job and kills it after so many events of a phase, or as soon as a later
// phase begins. It returns the phase in which it was killed: "" before it began to deploy,
// ended if it came to its end, which must be a good one.
func (k *kinit) killedIn(t *testing.T, phase string, events int, args ...string) string {
	t.Helper()
	old := logs(t, k)
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := k.command(ctx, args...)
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1<<12)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	in, first, killed := "", 0, false
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for open := true; open; {
		var line string
		select {
		case line, open = <-lines:
			if begun := phaseBegun(line); begun == jobPhases[0] || begun != "" && in != "" {
				in, first = begun, told(t, k, old)
			}
		case <-tick.C:
		}
		wanted, now := slices.Index(jobPhases, phase), slices.Index(jobPhases, in)
		if !killed && (now > wanted || now == wanted && told(t, k, old) >= first+events) {
			killed = true
			kill(cmd.Process)
		}
	}
	_ = cmd.Wait() // how it ended is in the exit code
	result{stderr: stderr.String()}.inTime(ctx, t, args)
	switch code := cmd.ProcessState.ExitCode(); {
	case killed:
		return in
	case code != 0:
		t.Fatalf("the job ended with %d\n%s", code, tail(stderr.String(), 40))
	}
	return ended
}

// phaseBegun returns the phase that begins with a line of output, "" if none does.
func phaseBegun(line string) string {
	var e struct {
		Kind string
		What struct{ Phase string }
	}
	if json.Unmarshal([]byte(line), &e) == nil && e.Kind == "phase_started" {
		return e.What.Phase
	}
	return ""
}

// sum adds up all counts.
func sum(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
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
