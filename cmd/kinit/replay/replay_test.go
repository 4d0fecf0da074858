package replay_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/engine"
	"kinit/engine/event"
	"kinit/test/replaytest"
)

func addresses(tasks []*replay.Task) []string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.Address)
	}
	return out
}

func TestTheCriticalPathGoesBackOverWhatWasWaitedFor(t *testing.T) {
	t.Parallel()
	// web2 was slower in every stage; the last stage waited for all of the one before.
	want := []string{`task.package.nginx["web2"]`, `task.copy.index["web2"]`, `task.command.reload["web2"]`, `task.wait.answers["web2"]`}
	if diff := cmp.Diff(want, addresses(replay.Of(replaytest.Success()).Critical)); diff != "" {
		t.Error(diff)
	}
}

func TestTheRecapOfEventsIsThatOfTheSummary(t *testing.T) {
	t.Parallel()
	log := replaytest.Failure()
	told := replay.Of(log)
	log.Summary = nil
	computed := replay.Of(log)
	byName := func(a, b engine.HostCounts) int { return len(a.Host) - len(b.Host) }
	slices.SortStableFunc(told.Hosts, byName)
	slices.SortStableFunc(computed.Hosts, byName)
	if diff := cmp.Diff(told.Hosts, computed.Hosts); diff != "" {
		t.Errorf("hosts: %s", diff)
	}
	if diff := cmp.Diff(told.Stages, computed.Stages); diff != "" {
		t.Errorf("stages: %s", diff)
	}
}

func TestATaskHasWhatItsEventsSaid(t *testing.T) {
	t.Parallel()
	run := replay.Of(replaytest.Failure())
	failed := run.Tasks[4]
	at := func(ms int) time.Time { return replaytest.Start().Add(time.Duration(ms) * time.Millisecond) }
	if diff := cmp.Diff([]replay.Attempt{{Number: 1, Ended: at(8155), Message: "command ended with code 1: nginx -s reload"}}, failed.Attempts); diff != "" {
		t.Errorf("attempts: %s", diff)
	}
	if diff := cmp.Diff([]replay.Step{{Text: "run nginx -s reload", Started: at(8155)}}, failed.Steps); diff != "" {
		t.Errorf("steps: %s", diff)
	}
	if failed.Status != event.Failed || failed.Duration != 3490*time.Millisecond || !failed.Ended.Equal(at(9900)) {
		t.Errorf("got %s after %s at %s", failed.Status, failed.Duration, failed.Ended)
	}
}

func TestTheFirstErrorIsTheOneThatHappenedFirst(t *testing.T) {
	t.Parallel()
	first := replay.Of(replaytest.Failure()).FirstError()
	if first == nil || first.Address != `task.command.reload["web1"]` || first.Command == nil || first.Command.Stderr != replaytest.Hostile {
		t.Errorf("got %+v, want the reload of web1 with its output", first)
	}
	if got := replay.Of(replaytest.Success()).FirstError(); got != nil {
		t.Errorf("a good run has the error %+v", got)
	}
}

func TestVerdictsSayHowARunEnded(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]replay.Verdict{0: replay.OK, 1: replay.Failed, 3: replay.Invalid, 4: replay.Pending, 5: replay.Unreachable, 130: replay.Interrupted, 77: replay.Failed} {
		log := replaytest.Success()
		log.Summary.ExitCode = code
		if got := replay.Of(log).Verdict; got != want {
			t.Errorf("exit code %d: got %s, want %s", code, got, want)
		}
	}
	log := replaytest.Success()
	log.Summary, log.Events = nil, log.Events[:5]
	run := replay.Of(log)
	if run.Verdict != replay.Died || run.ExitCode != -1 || run.Duration() != 2105*time.Millisecond {
		t.Errorf("a run that died is %s with code %d after %s", run.Verdict, run.ExitCode, run.Duration())
	}
	log.Running = true
	if got := replay.Of(log).Verdict; got != replay.Running {
		t.Errorf("a run at work is %s", got)
	}
}

func TestALogWithoutAPlanStillTellsItsTasks(t *testing.T) {
	t.Parallel()
	log := replaytest.Failure()
	log.Events = slices.DeleteFunc(log.Events, func(e event.Event) bool { return e.Kind == event.RunPlanned })
	run := replay.Of(log)
	if len(run.Tasks) != 8 || run.Tasks[0].Block != -1 || run.Tasks[0].Status != event.Changed {
		t.Errorf("got %d tasks, the first %+v", len(run.Tasks), run.Tasks[0])
	}
}

func TestWhatARunWaitedForIsNoTaskOfIt(t *testing.T) {
	t.Parallel()
	cases := func(run *replay.Run) string {
		var out bytes.Buffer
		if err := junit.Write(&out, run); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := replay.Of(replaytest.Success())
	for _, kind := range []event.Kind{event.RunWaits, event.RunTook} {
		log := replaytest.Success()
		log.Events = slices.Insert(log.Events, 0, event.Event{Kind: kind, Time: replaytest.Start(), Host: "nyctea", Message: "the run of ann@desk/7"})
		got := replay.Of(log)
		if diff := cmp.Diff(addresses(want.Tasks), addresses(got.Tasks)); diff != "" {
			t.Errorf("%s: tasks: %s", kind, diff)
		}
		if diff := cmp.Diff(addresses(want.Critical), addresses(got.Critical)); diff != "" {
			t.Errorf("%s: critical path: %s", kind, diff)
		}
		if diff := cmp.Diff(cases(want), cases(got)); diff != "" {
			t.Errorf("%s: JUnit: %s", kind, diff)
		}
	}
}
