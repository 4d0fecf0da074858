package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// Keeper knows whether the run may work on a machine.
type Keeper interface {
	// Fenced says that the machine has refused to do something for the run.
	Fenced(name string)
	// Away says that the machine is about to be away, for so long at most, and returns what
	// says that it is back.
	Away(ctx context.Context, name string, within time.Duration) (back func(), err error)
}

// Fence makes all that is told to the machine as it is bound from now on conditional:
// commands are run and files changed only while the link is there.
func (m *Machine) Fence(link string, k Keeper) {
	m.fence, m.keeper = link, k
	if f, ok := m.files.(transport.Fenceable); ok {
		m.files = f.Fenced(link)
	}
}

// Fenced tells whether the error is that of a machine on which another run has taken over,
// and says so to who keeps the lock.
func (m *Machine) Fenced(err error) bool {
	if m.keeper == nil || !errors.Is(err, transport.ErrFenced) {
		return false
	}
	m.keeper.Fenced(m.name)
	return true
}

// Check asks the machine whether the run may still work there, if the task has used a
// connection that it cannot look at: what is told over those is not fenced by itself.
func Check(ctx context.Context, h module.Host) error {
	switch h := h.(type) {
	case within:
		return Check(ctx, h.Host)
	case *bound:
		if h.dialled.Load() {
			return h.check(ctx)
		}
	}
	return nil
}

// check asks whether the fence is there.
func (b *bound) check(ctx context.Context) error {
	if b.fence == "" {
		return nil
	}
	_, err := b.files.Stat(ctx, b.fence)
	if errors.Is(err, fs.ErrNotExist) {
		err = transport.ErrFenced
	}
	if err != nil {
		return fmt.Errorf("ask %s whether this run may go on: %w", b.name, err)
	}
	return nil
}

// Away says that the host is about to be away, so that the run keeps its lock there.
func (b *bound) Away(ctx context.Context, limit time.Duration) (func(), error) {
	if b.keeper == nil {
		return func() {}, nil
	}
	return b.keeper.Away(ctx, b.name, limit)
}

// Away is that of the host.
func (w within) Away(ctx context.Context, limit time.Duration) (func(), error) {
	return module.Away(ctx, w.Host, limit)
}
