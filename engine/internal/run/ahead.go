package run

import (
	"context"
	"errors"
	"slices"
	"sync"

	"kinit/engine/event"
	"kinit/engine/graph"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/plan/decode"
)

// seen is what a look at a task came to before its turn.
type seen struct {
	out    outcome
	err    error
	hidden decode.Sensitivity
}

// errNotSeen keeps what reads a task's values from being looked at before their turn.
var errNotSeen = errors.New("its values are not known")

// ahead looks at the tasks of a section at once, in a run that only reads. Nothing changes
// there, so a task need not wait for those that it merely comes after: only for those whose
// values it reads and those that bring its host about. What was seen counts at the task's
// turn, when it is known what it means beside the others.
func (r *runner) ahead(ctx context.Context, s plan.Section) {
	silent := r.opts
	silent.Events = event.Discard{}
	look := newRunner(r.plan, r.values, r.machines.connections, silent)
	look.machines.first = &sync.Map{}
	g, tasks := &graph.Graph[string]{}, map[string]*plan.Task{}
	for _, t := range s.Tasks {
		if t.Skip == "" && !t.Handler && t.Role == plan.Normal {
			g.Add(t.Address)
			tasks[t.Address] = t
		}
	}
	for address, t := range tasks {
		for _, need := range slices.Concat(r.plan.HostNeeds(t.Host), t.Needs) {
			if need != address && tasks[need] != nil {
				g.Connect(address, need)
			}
		}
	}
	g.Walk(ctx, r.opts.Forks, graph.Visitor[string]{Visit: func(ctx context.Context, address string) error {
		return r.lookAhead(ctx, look, tasks[address])
	}})
}

// lookAhead looks at one task. Its error means that its values may not be read yet.
func (r *runner) lookAhead(ctx context.Context, look *runner, t *plan.Task) error {
	needed, err := look.needed(t)
	if err != nil {
		return err
	}
	if !needed {
		r.values.Set(t.Address, nil)
		r.values.SetOutcome(t.Address, plan.Outcome{})
		return nil
	}
	out, err := look.runTask(ctx, t)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.seen.Store(t.Address, seen{out, err, look.report.hidden(t)})
	if err != nil || out.pending {
		return errNotSeen
	}
	r.values.SetOutcome(t.Address, plan.Outcome{Changed: out.status() == event.Changed})
	return nil
}

// look is the task's turn: what was seen before, or a look now.
func (r *runner) look(ctx context.Context, t *plan.Task) (outcome, error) {
	if found, ok := r.seen.Load(t.Address); ok && r.waitsFor(t) == "" {
		one := found.(seen)
		r.report.hide(t, one.hidden)
		return one.out, one.err
	}
	return r.runTask(ctx, t)
}
