package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/schedule"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/transport"
)

// bench is a Runner whose engine answers what a test says. The real engine is used by the
// scripts of the program.
type bench struct {
	*Runner
	mu      sync.Mutex
	done    []string // what was done, as "job phase"
	told    []string
	answers func(w Work) Outcome
	clock   time.Time
	stages  []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{clock: time.Date(2025, 3, 1, 3, 0, 0, 0, time.UTC), stages: []string{"cleanup", "build", "verify"}, answers: func(Work) Outcome { return fine(0) }}
	b.Runner = &Runner{
		Results: t.TempDir(), Program: "v1", Progress: b,
		Rerun:  func(j jobs.Job) string { return "kinit ci run ci.hcl --job " + j.Name },
		Commit: func(context.Context, jobs.Job) string { return "abc" },
		Now:    b.now,
		Options: func(j jobs.Job) (engine.Options, error) {
			return engine.Options{Inputs: engine.Inputs{Spec: j.Spec, Hosts: j.Hosts}}, nil
		},
		Hosts: func(_ context.Context, o engine.Options) []string { return o.Hosts },
		Order: func(context.Context, engine.Options) ([]string, *engine.Report) { return b.stages, &engine.Report{} },
		Do:    b.do,
	}
	return b
}

// now is a clock that goes on by a second whenever it is looked at.
func (b *bench) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = b.clock.Add(time.Second)
	return b.clock
}

func (b *bench) do(ctx context.Context, w Work) Outcome {
	b.mu.Lock()
	b.done = append(b.done, w.Job.Name+" "+string(w.Phase))
	b.mu.Unlock()
	out := b.answers(w)
	if ctx.Err() != nil {
		out.OK, out.Report.Interrupted = false, true
	}
	return out
}

func (b *bench) Begins(jobs.Job, result.Phase)     {}
func (b *bench) Ended(jobs.Job, result.Phase)      {}
func (b *bench) Waits(jobs.Job, string)            {}
func (b *bench) Done(_ jobs.Job, r *result.Result) {}
func (b *bench) Notice(_ jobs.Job, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, text)
}

// fine is an outcome that went well, with so many changes and no leftovers.
func fine(changes int) Outcome {
	r := &engine.Report{Duration: time.Minute, Outputs: []engine.Output{{Name: "leftovers", Value: "0"}}}
	for i := range changes {
		r.Results = append(r.Results, engine.Result{Address: fmt.Sprintf("task.copy.f[%d]", i), Host: "a", Stage: "build", Status: event.Changed, Steps: []string{"write f"}})
	}
	return Outcome{OK: true, Report: r}
}

func broken(host string, cause error) Outcome {
	return Outcome{Report: &engine.Report{Diagnostics: diag.List{{Summary: "Broken", Detail: "It broke.", Address: "task.copy.f", Host: host, Cause: cause}}}}
}

func job(name string, hosts ...string) jobs.Job {
	return jobs.Job{Name: name, Spec: name + ".hcl", Hosts: hosts, Timeout: time.Hour, CleanupTimeout: time.Minute, Verify: "verify", Cleanup: "cleanup", Infrastructure: []string{"validate"}}
}

func (b *bench) run(t *testing.T, j jobs.Job) *result.Result {
	t.Helper()
	r, err := b.Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAJobGoesThroughItsPhases(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.run(t, job("web", "a"))
	if diff := cmp.Diff([]string{"web deploy", "web again", "web verify", "web cleanup"}, b.done); diff != "" {
		t.Error(diff)
	}
	left, known := r.Leftovers()
	if r.Verdict() != result.Passed || r.End.Ready != time.Minute || left != 0 || !known {
		t.Errorf("got %s, ready after %s, %d left", r.Verdict(), r.End.Ready, left)
	}
}

func TestWhateverFailsIsCleanedUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails   result.PhaseName
		answer  Outcome
		verdict result.Verdict
		phase   result.PhaseName
		summary string
		done    string
	}{
		"the deployment":              {result.Deploy, broken("guest", nil), result.Failed, result.Deploy, "Broken", "deploy cleanup"},
		"the second run":              {result.Again, broken("guest", nil), result.Failed, result.Again, "Broken", "deploy again cleanup"},
		"a second run that changes":   {result.Again, fine(2), result.Failed, result.Again, "Second run changed something", "deploy again cleanup"},
		"verification":                {result.Verify, broken("a", nil), result.Failed, result.Verify, "Broken", "deploy again verify cleanup"},
		"clean-up":                    {result.Cleanup, broken("a", nil), result.Failed, result.Cleanup, "Broken", "deploy again verify cleanup"},
		"a host that does not answer": {result.Deploy, broken("a", transport.ErrUnreachable), result.Infrastructure, result.Deploy, "Broken", "deploy cleanup"},
		"a host that refuses keys":    {result.Deploy, broken("a", transport.ErrAuth), result.Infrastructure, result.Deploy, "Broken", "deploy cleanup"},
		"another run took over":       {result.Deploy, broken("a", engine.ErrLockLost), result.Infrastructure, result.Deploy, "Broken", "deploy cleanup"},
		"another run at work":         {result.Deploy, broken("a", engine.ErrLocked), result.Infrastructure, result.Deploy, "Broken", "deploy cleanup"},
		"a name that is taken":        {result.Deploy, broken("a", engine.ErrTaken), result.Refused, result.Deploy, "Broken", "deploy"},
		"a full disk": {result.Deploy, Outcome{Report: &engine.Report{Diagnostics: diag.List{{Summary: "Command failed", Host: "a", Detail: "cp: No space left on device"}}}},
			result.Infrastructure, result.Deploy, "Command failed", "deploy cleanup"},
		"things that are left": {result.Cleanup, Outcome{OK: true, Report: &engine.Report{Outputs: []engine.Output{{Name: "leftovers", Value: "2"}}}},
			result.Failed, result.Cleanup, "Clean-up left something behind", "deploy again verify cleanup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.answers = func(w Work) Outcome {
				if w.Phase == c.fails {
					return c.answer
				}
				return fine(0)
			}
			r := b.run(t, job("web", "a"))
			if r.Verdict() != c.verdict || r.End.Phase != c.phase || r.End.Error == nil || r.End.Error.Summary != c.summary {
				t.Errorf("got %s in %s, %+v", r.Verdict(), r.End.Phase, r.End.Error)
			}
			if done := strings.ReplaceAll(strings.Join(b.done, " "), "web ", ""); done != c.done {
				t.Errorf("done was %s, want %s", done, c.done)
			}
		})
	}
}

func TestOnlyInfrastructureIsTriedAgain(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		transport.ErrUnreachable: "deploy cleanup deploy again verify cleanup",
		errors.New("a bug"):      "deploy cleanup",
	} {
		b := newBench(t)
		tries := 0
		b.answers = func(w Work) Outcome {
			if w.Phase == result.Deploy {
				if tries++; tries == 1 {
					return broken("a", cause)
				}
			}
			return fine(0)
		}
		j := job("web", "a")
		j.Retries = 3
		r := b.run(t, j)
		if done := strings.ReplaceAll(strings.Join(b.done, " "), "web ", ""); done != want {
			t.Errorf("%v: done was %s, want %s", cause, done, want)
		}
		if passed := r.Verdict() == result.Passed; passed != errors.Is(cause, transport.ErrUnreachable) {
			t.Errorf("%v: got %s", cause, r.Verdict())
		}
	}
}

func TestAnInterruptedJobIsCleanedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.answers = func(w Work) Outcome {
		if w.Phase == result.Again {
			cancel()
		}
		return fine(0)
	}
	r, err := b.Run(ctx, job("web", "a"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web deploy", "web again", "web cleanup"}, b.done); diff != "" {
		t.Error(diff)
	}
	if r.Verdict() != result.Aborted || r.FailedPhase() != result.Again || r.Orphaned() {
		t.Errorf("got %s in %s, orphaned %t", r.Verdict(), r.FailedPhase(), r.Orphaned())
	}
}

func TestAJobThatTakesTooLongFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	do := b.Do
	b.Do = func(ctx context.Context, w Work) Outcome {
		if w.Phase == result.Deploy {
			<-ctx.Done()
		}
		return do(ctx, w)
	}
	j := job("web", "a")
	j.Timeout = 20 * time.Millisecond
	r := b.run(t, j)
	if r.Verdict() != result.Failed || r.End.Error.Summary != "Timed out" || r.Orphaned() {
		t.Errorf("got %s, %+v, orphaned %t", r.Verdict(), r.End.Error, r.Orphaned())
	}
}

func TestASpecThatCannotBeRemovedIsNotDeployed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stages = []string{"clean-up", "build"}
	r := b.run(t, job("web", "a"))
	want := `The playbook of web.hcl has no stage "cleanup", so what it deploys could not be removed. Did you mean "clean-up"? Name the stage by the job's argument cleanup.`
	if r.Verdict() != result.Failed || r.End.Error.Detail != want || len(b.done) > 0 || r.Orphaned() {
		t.Errorf("got %s, %q, done %q", r.Verdict(), r.End.Error.Detail, b.done)
	}
}

func TestWithoutAnOutputASecondLookCountsWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.answers = func(w Work) Outcome {
		out := fine(0)
		out.Report.Outputs = nil
		if w.Check {
			out.Report = fine(3).Report
		}
		return out
	}
	r := b.run(t, job("web", "a"))
	if left, known := r.Leftovers(); left != 3 || !known || r.Verdict() != result.Failed {
		t.Errorf("got %d, %t, %s", left, known, r.Verdict())
	}
}

func TestWhatAProgramThatDiedLeftIsRemovedBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string][]result.PhaseName{
		"in its deployment": {result.Deploy}, "in its second run": {result.Deploy, result.Again}, "in its clean-up": {result.Deploy, result.Cleanup},
	} {
		b := newBench(t)
		died, other := job("died", "a"), job("other", "b")
		dead(t, b, died, begun...)
		done := b.All(t.Context(), []jobs.Job{other}, []jobs.Job{other, died})
		if done[0].Err != nil || b.done[0] != "died cleanup" || b.done[1] != "other deploy" {
			t.Errorf("%s: done was %q", name, b.done)
		}
		all, err := result.List(b.Results, died.Address())
		if err != nil || len(all) != 1 || all[0].Verdict() != result.Aborted || all[0].Orphaned() {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		b.done = nil
		b.run(t, died)
		if b.done[0] != "died deploy" {
			t.Errorf("%s: it was removed twice: %q", name, b.done)
		}
	}
}

func TestAJobThatIsDueAtOtherTimesIsStillTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("web", "a")
	dead(t, b, j, result.Deploy)
	dead(t, b, job("web-2", "a"), result.Deploy) // of another job, whose name begins so
	var err error
	if j.Schedule, err = schedule.Parse("0 3 * * 0", "UTC"); err != nil {
		t.Fatal(err)
	}
	b.run(t, j)
	if diff := cmp.Diff([]string{"web cleanup", "web deploy", "web again", "web verify", "web cleanup"}, b.done); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsDeployedOnWhatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("web", "a")
	dead(t, b, j, result.Deploy)
	b.answers = func(Work) Outcome { return broken("a", transport.ErrUnreachable) }
	r := b.run(t, j)
	if diff := cmp.Diff([]string{"web cleanup"}, b.done); diff != "" {
		t.Error(diff)
	}
	if r.Verdict() != result.Infrastructure || r.End.Phase != result.Cleanup || !r.Orphaned() {
		t.Errorf("got %s in %s, orphaned %t", r.Verdict(), r.End.Phase, r.Orphaned())
	}
}

// The clean-up ran without an error, and the playbook counts objects that it could not remove.
func TestLeftoversOfAnEarlierRunAreNamedAsTheReason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("web", "a")
	dead(t, b, j, result.Deploy)
	b.answers = func(Work) Outcome {
		return Outcome{OK: true, Report: &engine.Report{Outputs: []engine.Output{{Name: "leftovers", Value: "2"}}}}
	}
	r := b.run(t, j)
	if r.Verdict() != result.Failed || r.End.Phase != result.Cleanup || r.End.Error == nil || r.End.Error.Summary != "Clean-up left something behind" {
		t.Errorf("got %s in %s, %+v", r.Verdict(), r.End.Phase, r.End.Error)
	}
}

func TestJobsOnOneHostRunInTurnAndOthersAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	both := make(chan struct{}, 2)
	b.answers = func(w Work) Outcome {
		if w.Phase == result.Deploy && w.Job.Name != "third" { // each waits for the other
			both <- struct{}{}
			for deadline := time.Now().Add(10 * time.Second); len(both) < 2 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			if len(both) < 2 {
				t.Error("they do not run at the same time")
			}
		}
		return fine(0)
	}
	list := []jobs.Job{job("first", "a", "b"), job("second", "c"), job("third", "b")}
	for _, d := range b.All(t.Context(), list, list) {
		if d.Err != nil || d.Result.Verdict() != result.Passed {
			t.Errorf("%s: %v", d.Job.Name, d.Err)
		}
	}
	if slices.Index(b.done, "third deploy") < slices.Index(b.done, "first cleanup") {
		t.Errorf("third did not wait for first: %q", b.done)
	}
}

// dead makes the record of a program that died in the last of some phases.
func dead(t *testing.T, b *bench, j jobs.Job, begun ...result.PhaseName) {
	t.Helper()
	record, err := result.Create(b.Results, result.Header{Job: j.Address(), Name: j.Name, Started: b.now()})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range begun {
		if err := record.Begin(result.Phase{Name: name, Attempt: 1, Started: b.now()}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(record.Folder(), "result.jsonl")
	before, err := os.ReadFile(path)
	if err == nil {
		err = record.Close(result.End{})
	}
	if err == nil {
		err = os.WriteFile(path, before, 0o600) // as if it had never come to its end
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestServeMakesUpForAMissedTimeOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("web", "a")
	var err error
	if j.Schedule, err = schedule.Parse("0 3 * * *", "UTC"); err != nil {
		t.Fatal(err)
	}
	b.run(t, j)
	b.done, b.clock = nil, time.Date(2025, 3, 8, 12, 0, 0, 0, time.UTC) // a week later
	ctx, cancel := context.WithCancel(t.Context())
	var asked []string
	sleep := func(ctx context.Context, until time.Time) error {
		asked = append(asked, until.Format("2006-01-02 15:04"))
		switch len(asked) {
		case 1: // it is in the past
		case 2:
			b.mu.Lock()
			b.clock = until
			b.mu.Unlock()
		case 3:
			cancel()
		}
		return ctx.Err()
	}
	b.Serve(ctx, []jobs.Job{j}, sleep)
	if diff := cmp.Diff([]string{"2025-03-02 03:00", "2025-03-09 03:00", "2025-03-10 03:00"}, asked); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(strings.Join(b.done, "\n"), "deploy"); n != 2 {
		t.Errorf("it was run %d times", n)
	}
}

func TestServeWaitsForTheFirstTimeOfANewJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	j := job("web", "a")
	j.Schedule, _ = schedule.Parse("0 4 * * *", "UTC")
	ctx, cancel := context.WithCancel(t.Context())
	b.Serve(ctx, []jobs.Job{j}, func(ctx context.Context, until time.Time) error {
		if got := until.Format(time.RFC3339); got != "2025-03-01T04:00:00Z" {
			t.Errorf("it is due at %s", got)
		}
		cancel()
		return ctx.Err()
	})
	if len(b.done) > 0 {
		t.Errorf("done was %q", b.done)
	}
}
