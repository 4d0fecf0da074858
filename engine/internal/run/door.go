package run

import (
	"context"
	"sync"

	"kinit/engine/graph"
)

// door lets one task at a time try to reach a host until one has: if the host is dead, that
// task fails and the others are left out, instead of failing for the same reason.
type door struct {
	turn chan struct{} // holds a token while a task tries
	open chan struct{} // closed once a task has reached the host
	once sync.Once
}

func (r *runner) door(name string) *door {
	found, _ := r.doors.LoadOrStore(name, &door{turn: make(chan struct{}, 1), open: make(chan struct{})})
	return found.(*door)
}

// enter waits for the turn of a task, or until the door is open. The task calls leave when it
// has ended, so that the next one has its turn.
func (d *door) enter(ctx context.Context) (leave func()) {
	leave = func() {}
	select {
	case <-d.open:
		return leave
	default:
	}
	graph.Aside(ctx, func() {
		select {
		case <-d.open:
		case <-ctx.Done():
		case d.turn <- struct{}{}:
			leave = func() { <-d.turn }
		}
	})
	return leave
}

// reached opens the door.
func (d *door) reached() { d.once.Do(func() { close(d.open) }) }
