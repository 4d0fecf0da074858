package view

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

func TestTextInAFileHasPlainAlignedLines(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	errs, problems := file()
	text := newText(Options{Out: out, Err: errs, Spec: "site.hcl", Now: c.time})
	play(c, text)
	text.Close(outcomeOf(), 1)
	equal(t, printed.String(), `nyctea     changed  network   task.ovn_switch.cluster   0.3s   create logical switch k8s (+1)
nyctea     failed   network   task.command.probe        2.0s   command ended with code 1: probe
nyctea     skipped  nodes     task.domain.node          0.0s   after the failure of task.command.probe
1 task ok (-v lists what is ok)

STAGE      TIME  SHARE  TASKS
prepare    0.0s     0%      1
network    2.3s   100%      2

PLAY RECAP
tyto   : ok=1    changed=0    failed=0    skipped=0    unreachable=0
nyctea : ok=0    changed=1    failed=1    skipped=1    unreachable=0

OUTPUTS
api = https://10.0.0.253:6443
token = (sensitive)

Failed after 2.3s: 4 tasks, 1 changed, 1 failed, 1 skipped.
`)
	equal(t, problems.String(), `
Error: Command failed

command ended with code 1: probe
no route to host

  task task.command.probe
  host nyctea
`)
}

func TestTextVerboseShowsStepsWithDiffsAndRetries(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	text := newText(Options{Out: out, Err: out, Diff: true, Verbose: true, Now: c.time})
	play(c, text)
	equal(t, printed.String(), `nyctea     changed  network   task.ovn_switch.cluster   0.3s   create logical switch k8s (+1)
    create logical switch k8s
    set its mtu
      -1500
      +1442
tyto       ok       prepare   task.file.motd            0.0s
nyctea     retry    network   task.command.probe               attempt 1 failed: command ended with code 1: probe
nyctea     failed   network   task.command.probe        2.0s   command ended with code 1: probe
nyctea     skipped  nodes     task.domain.node          0.0s   after the failure of task.command.probe
`)
}

func TestTextQuietShowsFailuresAndRecap(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	errs, _ := file()
	text := newText(Options{Out: out, Err: errs, Quiet: true, Now: c.time})
	play(c, text)
	text.beat()
	text.Close(outcomeOf(), 1)
	equal(t, printed.String(), `nyctea     failed   network   task.command.probe        2.0s   command ended with code 1: probe

PLAY RECAP
tyto   : ok=1    changed=0    failed=0    skipped=0    unreachable=0
nyctea : ok=0    changed=1    failed=1    skipped=1    unreachable=0
`)
}

func TestTextInAFileHasASignOfLifeEveryThirtySeconds(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	text := newText(Options{Out: out, Err: out, Now: c.time})
	text.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.download.image", Host: "nyctea"})
	for range 95 {
		c.pass(time.Second)
		text.Emit(event.Event{Kind: event.TaskProgress, Time: c.now, Task: "task.download.image",
			Progress: &event.Progress{Text: "debian.qcow2", Done: int64(c.now.Second()) << 20, Total: 60 << 20}})
		text.beat()
		text.draw()
	}
	equal(t, printed.String(), `nyctea     still running  task.download.image  30.0s  50%  30.0 MiB/60.0 MiB  debian.qcow2
nyctea     still running  task.download.image  1m00s  0%  0 B/60.0 MiB  debian.qcow2
nyctea     still running  task.download.image  1m30s  50%  30.0 MiB/60.0 MiB  debian.qcow2
`)
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	changed := []engine.Result{{Status: event.Changed}, {Status: event.OK}}
	for name, tc := range map[string]struct {
		report engine.Report
		mode   Mode
		want   string
	}{
		"a run that changed something":    {engine.Report{Results: changed, Duration: time.Minute}, Run, "Done in 1m00s: 2 tasks, 1 changed."},
		"a run with nothing to do":        {engine.Report{Results: changed[1:]}, Run, "Done in 0.0s: 1 task, 0 changed."},
		"a run that was interrupted":      {engine.Report{Results: changed, Interrupted: true}, Run, "Stopped after 0.0s: 2 tasks, 1 changed."},
		"a plan with changes":             {engine.Report{Results: changed}, Plan, "1 of 2 tasks would change something (0.0s)."},
		"a plan without changes":          {engine.Report{Results: changed[1:]}, Plan, "Nothing to change (0.0s)."},
		"a valid spec":                    {engine.Report{Tasks: 7}, Validate, "s.hcl is valid: 7 tasks."},
		"a valid spec of a cluster":       {engine.Report{Tasks: 7, Offline: true, Cluster: "k8s"}, Validate, "s.hcl is valid: 7 tasks. No host was asked: the cluster k8s is shown as a new one."},
		"a spec with a mistake":           {engine.Report{Diagnostics: diag.List{{}, {Warning: true}}}, Validate, "s.hcl: 1 error, nothing was done."},
		"a failed check after good tasks": {engine.Report{Results: changed, Diagnostics: diag.List{{}}}, Run, "Failed after 0.0s: 2 tasks, 1 changed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := verdict(&tc.report, Options{Spec: "s.hcl", Mode: tc.mode}); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTextTakesEventsFromManyGoroutines(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	lines := 0
	size := func() (int, int) { return 80, 24 }
	out := Screen{Writer: writerFunc(func(p []byte) {
		mu.Lock()
		defer mu.Unlock()
		lines += strings.Count(string(p), " changed ")
	}), Size: size}
	text := NewText(Options{Out: out, Err: Screen{Writer: io.Discard}, Now: time.Now})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for n := range 50 {
				task := "task.x.t" + number(worker*100+n)
				text.Emit(event.Event{Kind: event.TaskStarted, Time: time.Now(), Task: task, Host: "h"})
				text.Emit(event.Event{Kind: event.TaskFinished, Time: time.Now(), Task: task, Host: "h", Status: event.Changed})
			}
		})
	}
	all.Wait()
	text.Notice("hello")
	text.Close(&engine.Report{}, 0)
	if lines != 400 {
		t.Errorf("got %d lines, want 400", lines)
	}
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

func TestTasksSkippedForOneReasonAreCounted(t *testing.T) {
	t.Parallel()
	emit := func(text *Text) {
		skip := func(task, why string) {
			text.Emit(event.Event{Kind: event.TaskFinished, Task: task, Host: "h", Status: event.Skipped, Message: why})
		}
		text.Emit(event.Event{Kind: event.TaskStarted, Task: "task.a.busy", Host: "h"})
		skip("task.a.first", "interrupted")
		skip("task.a.second", "interrupted")
		skip("task.a.busy", "interrupted")
		for range 3 {
			skip("task.a.other", "after the failure of task.x.y")
		}
		text.Emit(event.Event{Kind: event.TaskFinished, Task: "task.a.good", Host: "h", Status: event.OK})
		skip("task.a.last", "after the failure of task.x.y")
		text.Emit(event.Event{Kind: event.RunFinished})

	}
	out, printed := file()
	emit(newText(Options{Out: out, Err: out, Now: newClock().time}))
	equal(t, printed.String(), `h          skipped  task.a.first              0.0s   interrupted
h          skipped  task.a.busy               0.0s   interrupted
           skipped  and 1 task more                  interrupted
h          skipped  task.a.other              0.0s   after the failure of task.x.y
           skipped  and 3 tasks more                 after the failure of task.x.y
`)
	out, printed = file()
	emit(newText(Options{Out: out, Err: out, Verbose: true, Now: newClock().time}))
	if got := strings.Count(printed.String(), "\n"); got != 8 {
		t.Errorf("got %d lines with -v, want 8", got)
	}
}

func TestTextTellsWhomARunWaitsFor(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	text := newText(Options{Out: out, Err: out, Now: c.time})
	text.Emit(event.Event{Kind: event.RunWaits, Time: c.now, Host: "nyctea", Message: "for the run of ann@desk/7"})
	text.Emit(event.Event{Kind: event.RunTook, Time: c.now, Host: "nyctea", Message: "the lock of ann@desk/7, and ended a process that it had at work"})
	equal(t, printed.String(), "nyctea     waits    for the run of ann@desk/7\n"+
		"nyctea     takes    the lock of ann@desk/7, and ended a process that it had at work\n")
}

func TestWhatATaskTellsIsShownInFull(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	text := newText(Options{Out: out, Err: out, Now: c.time})
	for _, e := range []event.Event{
		{Kind: event.TaskStarted, Task: "task.debug.a", Host: "tyto"},
		{Kind: event.TaskFinished, Task: "task.debug.a", Host: "tyto", Status: event.OK, Message: "{\n  \"a\": 1\n}"},
		{Kind: event.TaskFinished, Task: "task.debug.b", Host: "tyto", Status: event.Failed, Message: "no\nmore of it"},
	} {
		text.Emit(e)
	}
	equal(t, printed.String(), `tyto       ok       task.debug.a              0.0s   {
      "a": 1
    }
tyto       failed   task.debug.b              0.0s   no
`)
}
