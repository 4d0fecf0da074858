package faults

import (
	"fmt"
	"sync/atomic"
	"testing"

	"kinit/engine/event"
	"kinit/test/winsim/wsman"
)

// mishap is what goes wrong with one message.
type mishap struct {
	name   string
	action wsman.Action // of the messages that it may happen to, any when empty
	effect wsman.Effect
}

// mishaps are connections that are cut and quotas that are met.
func mishaps() []mishap {
	return []mishap{
		{"the connection is cut before it is handled", "", wsman.Effect{DropBefore: true}},
		{"the connection is cut when it was handled", "", wsman.Effect{DropAfter: true}},
		{"too many operations", wsman.Command, wsman.Effect{Fault: wsman.CodeTooManyOperations}},
		{"too many processes", wsman.Command, wsman.Effect{Fault: wsman.CodeTooManyProcesses}},
		{"the shell's memory is used up", wsman.Receive, wsman.Effect{Fault: wsman.CodeOutOfMemory}},
	}
}

// Of every task, messages that its work needs go wrong, once each.
func TestMishapsAtEveryMessageOfEveryTask(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, s *site, c task) {
		for _, m := range mishaps() {
			met, finished := everyPlace(t, c, func(n int) (event.Status, bool) { return s.suffer(t, c, m, n) })
			if t.Failed() {
				return
			}
			t.Logf("%s, %d times: %d runs finished, the others named the step", m.name, met, finished)
		}
	})
}

// suffer does a task with a mishap at the message after n others, and looks at what comes
// of it. It returns how the task ended, and false when it took fewer messages.
func (s *site) suffer(t *testing.T, c task, m mishap, n int) (event.Status, bool) {
	t.Helper()
	var met atomic.Bool
	effect := m.effect
	effect.Before = func() { met.Store(true) }
	got := s.run(t, c.module, c.do, s.during(wsman.Rule{Action: m.action, Skip: n, Effect: effect}))
	what := fmt.Sprintf("%s: message %d", m.name, n)
	judge(t, what, got, met.Load())
	s.countRuns(t, what, c)
	s.finish(t, c)
	return got.Status, met.Load()
}
