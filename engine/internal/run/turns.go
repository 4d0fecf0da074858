package run

import (
	"context"
	"sync"

	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// turns lets one task at a time edit a thing of a host, such as a file.
type turns struct {
	mu     sync.Mutex
	things map[thing]*turn
}

// thing is what tasks edit in turns.
type thing struct{ host, name string }

// turn is the right to edit a thing.
type turn struct {
	taken  chan struct{} // with an element while a task has it
	edited bool          // a task of this run has changed the thing
}

// take waits until no other task edits what the task edits.
func (all *turns) take(ctx context.Context, t *plan.Task, task module.Task) (*turn, error) {
	editor, ok := task.(module.Editor)
	one := &turn{taken: make(chan struct{}, 1)}
	if ok {
		one = all.of(thing{t.Host, editor.Edits()})
	}
	select {
	case one.taken <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (all *turns) of(what thing) *turn {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.things[what] == nil {
		all.things[what] = &turn{taken: make(chan struct{}, 1)}
	}
	return all.things[what]
}

// end lets the next task begin.
func (one *turn) end(changed bool) {
	one.edited = one.edited || changed
	<-one.taken
}
