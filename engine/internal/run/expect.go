package run

import (
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// Expect decides whether a task may do its steps, which are redacted. An error fails the
// task before it has changed anything. It may be called by several goroutines at once.
type Expect func(t *plan.Task, steps []string) error

func (r *runner) expected(t *plan.Task, steps []module.Step) error {
	if r.opts.Expect == nil || len(steps) == 0 {
		return nil
	}
	return r.opts.Expect(t, r.texts(t, steps))
}
