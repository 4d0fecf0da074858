package faults

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/test/winsim/wsman"
)

// skews are what a machine's clock is ahead, as with a host clock in local time, a flat
// battery, or a guest that was paused.
func skews() map[string]time.Duration {
	const year = 365 * 24 * time.Hour
	return map[string]time.Duration{"an hour ahead": time.Hour, "an hour behind": -time.Hour, "a year ahead": year, "a year behind": -year}
}

// The machine's clock is wrong, so that its certificate and the times of logins and of
// files are another time's: tasks are done as ever, and the second run changes nothing.
// All are done over one way in, and over the others what tells those apart.
func TestClocksThatAreWrong(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, skew := range skews() {
		for _, way := range []string{basic, ntlm, ssh} {
			t.Run(name+" over "+way, func(t *testing.T) {
				t.Parallel()
				s := newSite(t, way)
				if err := s.node.SetSkew(skew); err != nil {
					t.Fatal(err)
				}
				restartNow(t, s) // it boots with that clock
				for _, c := range tasks(url) {
					if way == basic || c.module == "win_copy" || c.module == "win_powershell" || c.module == "win_hostname" {
						s.twice(t, c)
					}
				}
			})
		}
	}
}

// twice does a task, sees that nothing is left to do, and undoes it.
func (s *site) twice(t *testing.T, c task) {
	t.Helper()
	if c.prepare != nil {
		c.prepare(t, s)
	}
	s.want(t, c.module, c.do, event.Changed)
	if c.once == "" {
		s.want(t, c.module, c.do, event.OK)
	}
	s.countRuns(t, c.module, c)
	if c.undo != "" {
		s.want(t, c.module, c.undo, event.Changed)
	}
}

// The clock is set while the machine restarts or a job cuts the network, as by the first
// contact with a server of time. At whichever command that is: a restart is known by what
// does not move, so there is the one that the task asks for and no other, and a job is
// waited for by its mark.
func TestClockThatIsSetInTheMiddle(t *testing.T) {
	t.Parallel()
	for module, restarts := range map[string]int{"win_reboot": 1, "win_hns_network": 0} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			s, c := newSite(t, basic), named(t, module)
			c.prepare(t, s)
			n := 0
			for s.setClock(t, c, n, restarts) && !t.Failed() {
				n++
			}
			if n < 4 && !t.Failed() {
				t.Errorf("the work took only %d commands", n)
			}
		})
	}
}

// setClock does a task whose machine's clock is set at the command after n others. It
// returns false when the task took fewer.
func (s *site) setClock(t *testing.T, c task, n, restarts int) bool {
	t.Helper()
	jumps := slices.Sorted(maps.Values(skews()))
	var set atomic.Bool
	rule := wsman.Rule{Action: wsman.Command, Skip: n, Effect: wsman.Effect{Before: func() {
		set.Store(true)
		if err := s.node.SetSkew(jumps[n%len(jumps)]); err != nil {
			t.Error(err)
		}
	}}}
	boots := s.node.Boots()
	got := s.run(t, c.module, c.do, s.during(rule))
	if made := s.node.Boots() - boots; got.Status != event.Changed || made != restarts {
		t.Errorf("the clock is set at command %d: %s after %d restarts, want %d: %s", n, got.Status, made, restarts, got.Message)
	}
	if left := jobs(s); left != "" {
		t.Errorf("the clock is set at command %d: the job %s is left", n, left)
	}
	s.finish(t, c)
	return set.Load()
}

// jobs are the tasks of kinit that are on the machine.
func jobs(s *site) string {
	var left []string
	for _, task := range s.node.Tasks() {
		if task.Path == `\kinit\` {
			left = append(left, task.Name)
		}
	}
	return strings.Join(left, " ")
}

func named(t *testing.T, module string) task {
	t.Helper()
	for _, c := range tasks("") {
		if c.module == module {
			return c
		}
	}
	t.Fatalf("no task of %s", module)
	return task{}
}
