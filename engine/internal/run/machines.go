package run

import (
	"context"
	"sync"

	"kinit/engine/graph"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
)

// machines connects tasks to their hosts.
type machines struct {
	connections *host.Connections
	doors       sync.Map  // of *door by host
	first       *sync.Map // the first attempts to connect by login, if tasks share them; else nil
}

// connect connects to a task's host, as the user that the task wants. A host that does not
// answer does not delay others.
func (m *machines) connect(ctx context.Context, t *plan.Task) (*host.Machine, error) {
	return m.enter(ctx, loginOf(t))
}

func (m *machines) enter(ctx context.Context, l login) (machine *host.Machine, err error) {
	if machine := m.connections.Connected(l.host, l.as()); machine != nil {
		m.door(l.host).reached()
		return machine, nil
	}
	connect := func() (*host.Machine, error) { return m.connections.As(ctx, l.host, l.as()) }
	if m.first != nil {
		connect = m.sharing(l, connect)
	}
	graph.Aside(ctx, func() {
		if machine, err = connect(); err == nil {
			m.door(l.host).reached() // before it waits for a place: others need not wait as long
		}
	})
	return machine, err
}

// connected reports whether a host is connected, as a user.
func (m *machines) connected(l login) bool { return m.connections.Connected(l.host, l.as()) != nil }

// login is a host, and the user as whom a task works there.
type login struct {
	host   string
	become host.Become
	other  bool // than the user of the host's settings
}

func loginOf(t *plan.Task) login {
	key := login{host: t.Host}
	if t.Become != nil {
		key.become, key.other = host.Become(*t.Become), true
	}
	return key
}

// as returns the other user, or nil.
func (l login) as() *host.Become {
	if !l.other {
		return nil
	}
	return &l.become
}

// sharing returns connect for one of many tasks that ask for a host at the same time, when
// they are looked at ahead of their turn. Each would wait for a host that is dead: they
// share the first attempt.
func (m *machines) sharing(l login, connect func() (*host.Machine, error)) func() (*host.Machine, error) {
	first, _ := m.first.LoadOrStore(l, sync.OnceValues(connect))
	return first.(func() (*host.Machine, error))
}

// door lets one task at a time try to reach a host until one has: if the host is dead, that
// task fails and the others are left out, instead of failing for the same reason.
type door struct {
	turn chan struct{} // holds a token while a task tries
	open chan struct{} // closed once a task has reached the host
	once sync.Once
}

func (m *machines) door(name string) *door {
	found, _ := m.doors.LoadOrStore(name, &door{turn: make(chan struct{}, 1), open: make(chan struct{})})
	return found.(*door)
}

// enter waits for the turn of a task, or until the door is open. The task calls leave when it
// has ended, so that the next one has its turn. The wait holds no place: the task that has the
// turn may need one to go on.
func (d *door) enter(ctx context.Context) (leave func()) {
	leave = func() {}
	select {
	case <-d.open:
		return leave
	default:
	}
	graph.Behind(ctx, func() {
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
