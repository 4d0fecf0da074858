package run

import (
	"context"
	"slices"

	"kinit/engine/graph"
	"kinit/engine/internal/plan"
)

// outlasts reports whether a task is done after an interrupt too, because of its always.
func outlasts(t *plan.Task) bool { return t.Always || t.Role == plan.Cleanup }

// cleanups lists the tasks with always in blocks.
func cleanups(s plan.Section) []*plan.Task {
	return slices.DeleteFunc(slices.Clone(s.Tasks), func(t *plan.Task) bool { return t.Role != plan.Cleanup })
}

// outlasting returns the context of a visit. An interrupt does not end that of a task with
// always in a block, which may have begun before the interrupt.
func (r *runner) outlasting(ctx context.Context, t *plan.Task) (context.Context, func()) {
	if t.Role != plan.Cleanup || r.always == nil {
		return ctx, func() {}
	}
	within, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(r.always, func() { cancel(context.Cause(r.always)) })
	return within, func() {
		stop()
		cancel(nil)
	}
}

// cleanUp does, after an interrupt, the tasks with always of the blocks that the run has reached.
// All other tasks of the section have ended or were skipped.
func (r *runner) cleanUp(ctx context.Context, s plan.Section) {
	if s.Graph == nil {
		return
	}
	s.Graph.Walk(ctx, r.opts.Forks, graph.Visitor[plan.Key]{
		Visit: func(ctx context.Context, key plan.Key) error {
			t, _ := s.At(key)
			switch {
			case t == nil:
				return nil
			case t.Role == plan.Cleanup && !r.endings.has(t):
				return r.visit(ctx, t)
			case r.endings.of(t.Address).undone:
				return errLeftOut
			}
			return nil
		},
		Limit:   limitOf(s),
		Skipped: func(key, cause plan.Key) { r.skipKey(ctx, s, key, cause) },
	})
	for _, t := range s.Tasks { // the handlers that these tasks notified, too
		if !r.endings.has(t) && r.endings.triggered(t, true) {
			r.skip(t, "interrupted")
		}
	}
}
