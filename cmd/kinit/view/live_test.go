package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/event"
)

func TestLiveLinesShowWhatRunsBelowWhatIsDone(t *testing.T) {
	t.Parallel()
	c, screen := newClock(), newTerminal(t, 100)
	text := newText(Options{Out: screen.screen(), Err: screen.screen(), Now: c.time})
	text.Emit(event.Event{Kind: event.RunStarted, Time: c.now, Total: 3})
	text.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.download.image", Host: "nyctea"})
	text.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.reboot.node", Host: "tyto"})
	for second := range int64(4) {
		text.Emit(event.Event{Kind: event.TaskProgress, Time: c.pass(time.Second).now, Task: "task.download.image",
			Progress: &event.Progress{Text: "debian.qcow2", Done: (second + 1) * 10 << 20, Total: 100 << 20}})
	}
	text.draw()
	equal(t, screen.text(), `0/3 tasks done, 2 running  4.0s
  nyctea  task.download.image  4.0s   [========>           ]   40%  40.0 MiB/100.0 MiB  10.0 MiB...
  tyto    task.reboot.node     4.0s`)

	text.Emit(event.Event{Kind: event.TaskFinished, Time: c.now, Task: "task.reboot.node", Host: "tyto",
		Stage: "nodes", Status: event.Changed, Steps: []string{"reboot"}, Duration: 4 * time.Second})
	text.draw()
	equal(t, screen.text(), `tyto       changed  nodes     task.reboot.node          4.0s   reboot
1/3 tasks done, 1 running  4.0s
  nyctea  task.download.image  4.0s   [========>           ]   40%  40.0 MiB/100.0 MiB  10.0 MiB...`)

	text.Notice("stopping")
	equal(t, screen.text(), `tyto       changed  nodes     task.reboot.node          4.0s   reboot
stopping
`)
	text.draw()
	text.Close(&engine.Report{Interrupted: true, Duration: 4 * time.Second}, 130)
	equal(t, screen.text(), `tyto       changed  nodes     task.reboot.node          4.0s   reboot
stopping

Stopped after 4.0s: 0 tasks, 0 changed.
`)
}

func TestLiveLinesOfAWideTerminalHaveTheTimeLeft(t *testing.T) {
	t.Parallel()
	c := newClock()
	var b board
	b.apply(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.download.image", Host: "nyctea"})
	for second := range int64(3) {
		b.apply(event.Event{Kind: event.TaskProgress, Time: c.pass(time.Second).now, Task: "task.download.image",
			Progress: &event.Progress{Text: "debian.qcow2", Done: second * 10 << 20, Total: 100 << 20}})
	}
	equal(t, strings.Join(b.live(c.now, 140, 24, false), "\n"), `0 tasks done, 1 running
  nyctea  task.download.image  3.0s   [====>               ]   20%  20.0 MiB/100.0 MiB  10.0 MiB/s  ETA 8s  debian.qcow2`)
}

func TestLiveLinesNameHowManyMoreRun(t *testing.T) {
	t.Parallel()
	c := newClock()
	var b board
	b.apply(event.Event{Kind: event.RunStarted, Time: c.now, Total: 20})
	for n := range 12 {
		b.apply(event.Event{Kind: event.TaskStarted, Time: c.now, Task: fmt.Sprintf("task.x.t%d", n), Host: "h"})
	}
	equal(t, strings.Join(b.live(c.now, 80, 4, false), "\n"), `0/20 tasks done, 12 running  0.0s
  h  task.x.t0  0.0s
  h  task.x.t1  0.0s
  and 10 more`)
}

func TestLiveLinesAreWipedAfterTheTerminalBecameNarrower(t *testing.T) {
	t.Parallel()
	c, screen := newClock(), newTerminal(t, 120)
	text := newText(Options{Out: screen.screen(), Err: screen.screen(), Now: c.time})
	text.Emit(event.Event{Kind: event.RunStarted, Time: c.now, Total: 2})
	text.Emit(event.Event{Kind: event.TaskFinished, Time: c.now, Task: "task.a.done", Host: "h", Status: event.Changed})
	text.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.a.long", Host: "h"})
	text.Emit(event.Event{Kind: event.StepStarted, Time: c.now, Task: "task.a.long", Steps: []string{strings.Repeat("x", 70)}})
	text.draw()
	for _, columns := range []int{30, 7, 90} {
		screen.columns = columns
		text.draw()
	}
	equal(t, screen.text(), `h          changed  task.a.done               0.0s
1/2 tasks done, 1 running  0.0s
  h  task.a.long  0.0s   xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...`)
}

func TestManyEventsMakeOneWrite(t *testing.T) {
	t.Parallel()
	c, screen := newClock(), newTerminal(t, 80)
	text := newText(Options{Out: screen.screen(), Err: screen.screen(), Now: c.time})
	for range 10 {
		play(c, text)
	}
	text.draw()
	if screen.writes != 1 {
		t.Errorf("got %d writes, want 1", screen.writes)
	}
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörd 世界 ", 40)
	for columns := 8; columns < 200; columns += 3 {
		c, screen := newClock(), newTerminal(t, columns)
		out := screen.screen()
		out.Colour = true
		text := newText(Options{Out: out, Err: out, Diff: true, Verbose: true, Now: c.time})
		play(c, text)
		text.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: "task.x." + long, Host: long})
		text.Emit(event.Event{Kind: event.TaskProgress, Time: c.now, Task: "task.x." + long,
			Progress: &event.Progress{Text: long, Done: 1 << 30, Total: 1 << 40}})
		text.draw()
		text.Notice(long)
		text.Emit(event.Event{Kind: event.TaskFinished, Time: c.now, Task: "task.x." + long, Host: long,
			Stage: long, Status: event.Unreachable, Message: long, Steps: []string{long + "\n+" + long}})
		text.draw()
		report := outcomeOf()
		report.Diagnostics[0].Detail = long + strings.Repeat("y", 300)
		report.Outputs[0].Value = long
		text.Close(report, 1)
		if got := widest(screen.text()); got > columns {
			t.Fatalf("a line takes %d columns of %d:\n%s", got, columns, screen.text())
		}
	}
}

func TestANarrowTerminalGetsTwoShortLinesATask(t *testing.T) {
	t.Parallel()
	c, screen := newClock(), newTerminal(t, 40)
	text := newText(Options{Out: screen.screen(), Err: screen.screen(), Diff: true, Verbose: true, Trace: true, Spec: "site.hcl", Now: c.time})
	play(c, text)
	text.Close(outcomeOf(), 1)
	equal(t, screen.text(), `start    task.ovn_switch.cluster
         nyctea
start    task.file.motd
         tyto
step     task.ovn_switch.cluster
         nyctea  create logical switc...
changed  task.ovn_switch.cluster
         nyctea  0.3s  create logical...
    create logical switch k8s
    set its mtu
      -1500
      +1442
ok       task.file.motd
         tyto  0.0s
start    task.command.probe
         nyctea
retry    task.command.probe
         nyctea  attempt 1 failed: co...
failed   task.command.probe
         nyctea  2.0s  command ended ...
skipped  task.domain.node
         nyctea  0.0s  after the fail...

STAGE      TIME  SHARE  TASKS
prepare    0.0s     0%      1
network    2.3s   100%      2

PLAY RECAP
tyto   : ok=1
nyctea : changed=1 failed=1 skipped=1

OUTPUTS
api = https://10.0.0.253:6443
token = (sensitive)

Error: Command failed

command ended with code 1: probe
no route to host

  task task.command.probe
  host nyctea

Failed after 2.3s: 4 tasks, 1 changed, 1
failed, 1 skipped.
`)
}

func widest(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n = max(n, cells(line))
	}
	return n
}

func TestRateIsMeasuredOverTheLastSeconds(t *testing.T) {
	t.Parallel()
	c := newClock()
	var r rate
	done := int64(0)
	for second := range 30 {
		step := int64(1000)
		if second >= 15 {
			step = 50
		}
		done += step
		r.add(c.pass(time.Second).now, done)
	}
	if got := r.perSecond(c.now, done); got != 50 {
		t.Errorf("got %d bytes a second, want 50", got)
	}
}
