package faults

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/wsman"
)

// Of every task, the machine restarts at messages that the task's work needs: when the
// message arrives, and when it was handled and is not answered yet.
func TestRestartAtEveryMessageOfEveryTask(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, s *site, c task) {
		for _, handled := range []bool{false, true} {
			restarts, finished := again(t, c, func(n int) (event.Status, bool) { return s.interrupt(t, c, n, handled) })
			if t.Failed() {
				return
			}
			t.Logf("%d restarts, message handled %v: %d runs finished, the others named the step", restarts, handled, finished)
		}
	})
}

// everyFault is the variable that has all restarts tried; without it some are, others for
// each module.
const everyFault = "KINIT_EVERY_FAULT"

// stride is how far apart the messages are at which a machine restarts.
func stride() int {
	if os.Getenv(everyFault) != "" {
		return 1
	}
	return 7
}

// first is the first message of a module at which its machine restarts. Work of modules
// is much alike: with other messages for each, all kinds of them have their turn.
func first(module string) int {
	sum := 0
	for _, letter := range module {
		sum += int(letter)
	}
	return sum % stride()
}

// again interrupts a task at one place of its work after the other, until it has no more,
// and counts the restarts and the runs that finished all the same.
func again(t *testing.T, c task, interrupt func(n int) (event.Status, bool)) (restarts, finished int) {
	t.Helper()
	restarts, finished = everyPlace(t, c, interrupt)
	if restarts*stride() < 3 {
		t.Errorf("the work had only about %d places to restart at", restarts*stride())
	}
	return restarts, finished
}

// everyPlace has something happen at one place of a task's work after the other, until it
// has no more, and counts how often it happened and the runs that finished all the same.
func everyPlace(t *testing.T, c task, happen func(n int) (event.Status, bool)) (times, finished int) {
	t.Helper()
	for n := first(c.module); !t.Failed() && (c.enough == 0 || n < c.enough); n += stride() {
		status, fired := happen(n)
		if !fired {
			break
		}
		times++
		if status == event.Changed {
			finished++
		}
	}
	return times, finished
}

// eachTask calls f for every task, at the same time, with a site of its own on which the
// task's work is to do.
func eachTask(t *testing.T, f func(t *testing.T, s *site, c task)) {
	t.Helper()
	for _, c := range tasks(serve(t)) {
		t.Run(c.module, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, basic)
			if c.prepare != nil {
				c.prepare(t, s)
			}
			f(t, s, c)
		})
	}
}

// interrupt does a task with a restart at the message after n others, and looks at what
// comes of it. It returns how the task ended, and false when it took fewer messages.
func (s *site) interrupt(t *testing.T, c task, n int, handled bool) (event.Status, bool) {
	t.Helper()
	restart := &restart{site: s, ended: make(chan error, 1)}
	got := s.run(t, c.module, c.do, s.during(restart.rule(t.Context(), n, handled)))
	fired := restart.wait(t)
	what := fmt.Sprintf("restart at message %d, handled %v", n, handled)
	judge(t, what, got, fired)
	s.countRuns(t, what, c)
	s.finish(t, c)
	return got.Status, fired
}

// step is what the first line of an error says of where the connection was lost, or of
// what was not answered.
var step = regexp.MustCompile(`\b(Create|Command|Send|Receive|Signal): |\bconnect to |: it ended without an answer\b`)

// judge wants a run that has finished, or whose error names the step.
func judge(t *testing.T, what string, got engine.Result, fired bool) {
	t.Helper()
	switch {
	case got.Status == event.Changed:
	case !fired:
		t.Errorf("without a restart: %s, %s", got.Status, got.Message)
	case !step.MatchString(event.FirstLine(got.Message)):
		t.Errorf("%s: %s, and no step is named: %s", what, got.Status, got.Message)
	}
}

// countRuns wants that a task that may run once has done so at most once.
func (s *site) countRuns(t *testing.T, what string, c task) {
	t.Helper()
	if c.once == "" {
		return
	}
	text, _ := s.node.Files.ReadFile(c.once) // none when it never ran
	if runs := strings.Count(string(text), "ran;"); runs > 1 {
		t.Errorf("%s: the command ran %d times", what, runs)
	}
	// A command that was given up may be writing it still.
	for deadline := time.Now().Add(patience); len(text) > 0; time.Sleep(10 * time.Millisecond) {
		err := s.node.Files.RemoveAll(c.once, true)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// finish wants that the next run brings about the state, of which the engine makes sure
// by planning again, and makes the work to do again.
func (s *site) finish(t *testing.T, c task) {
	t.Helper()
	if got := s.run(t, c.module, c.do, nil); got.Status != event.OK && got.Status != event.Changed {
		t.Errorf("the run after is %s: %s", got.Status, got.Message)
	}
	s.countRuns(t, "the run after", c)
	if c.undo != "" {
		s.want(t, c.module, c.undo, event.Changed)
	}
	if c.ready != nil {
		c.ready(t, s)
	}
}

// restart restarts a site's machine at one message.
type restart struct {
	site  *site
	fired atomic.Bool
	ended chan error // how the restart went
}

// rule is about the message after n others.
func (r *restart) rule(ctx context.Context, n int, handled bool) wsman.Rule {
	begin := func() { r.begin(ctx) }
	if handled {
		return wsman.Rule{Skip: n, Effect: wsman.Effect{After: begin, DropAfter: true}}
	}
	// The machine goes down while it has the message.
	return wsman.Rule{Skip: n, Effect: wsman.Effect{Before: begin, Wait: make(chan struct{})}}
}

// begin restarts the machine in the background.
func (r *restart) begin(ctx context.Context) {
	r.fired.Store(true)
	go func() { r.ended <- r.site.node.Reboot(ctx) }()
}

// wait waits for the end of the restart, if there was one, which it tells.
func (r *restart) wait(t *testing.T) bool {
	t.Helper()
	if !r.fired.Load() {
		return false
	}
	if err := <-r.ended; err != nil {
		t.Fatal(err)
	}
	return true
}

// restartNow restarts the machine of a site.
func restartNow(t *testing.T, s *site) {
	t.Helper()
	if err := s.node.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// withContainers makes what networks of containers need.
func withContainers(t *testing.T, s *site) {
	t.Helper()
	pending(t, s)
	restartNow(t, s)
}

// pending leaves the machine with a feature that waits for a restart.
func pending(t *testing.T, s *site) {
	t.Helper()
	names := []string{"Containers"}
	change, err := s.node.Features.Install(names, false, false)
	if s.node.Features.State(names[0]) == feature.Installed && !change.Restart {
		change, err = s.node.Features.Remove(names)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.node.Apply(change); err != nil {
		t.Fatal(err)
	}
}
