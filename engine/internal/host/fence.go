package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// Fence makes all later commands and file changes on the machine depend on the link: they
// are done only while it exists.
func (m *Machine) Fence(link string, k Keeper) {
	m.fence, m.keeper = link, k
	if f, ok := m.files.(transport.Fenceable); ok {
		m.files = f.Fenced(link)
	}
}

// Fenced reports whether the error is that of a machine on which another run has taken
// over, and reports it to the lock's keeper.
func (m *Machine) Fenced(err error) bool {
	if m.keeper == nil || !errors.Is(err, transport.ErrFenced) {
		return false
	}
	m.keeper.Fenced(m.name)
	return true
}

// Check asks the machine whether the run may still work there, if the task has used a
// connection of a kind that is not fenced.
func Check(ctx context.Context, h module.Host) error {
	if b, ok := h.(*bound); ok && b.dialled.Load() {
		return b.check(ctx)
	}
	return nil
}

// check reports an error if the fence is missing.
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

// Away announces that the host will be away, so that the run keeps its lock there.
func (b *bound) Away(ctx context.Context, limit time.Duration) (func(), error) {
	if b.keeper == nil {
		return func() {}, nil
	}
	return b.keeper.Away(ctx, b.name, limit)
}

func (b *bound) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := b.dialling(ctx); err != nil {
		return nil, err
	}
	return b.conn.Dial(ctx, network, address)
}

func (b *bound) Socket(ctx context.Context, path string) (string, error) {
	if err := b.dialling(ctx); err != nil {
		return "", err
	}
	return b.conn.Socket(ctx, path)
}

// dialling comes before a connection is used.
func (b *bound) dialling(ctx context.Context) error {
	b.dialled.Store(true)
	if err := b.check(ctx); err != nil {
		return err
	}
	b.watching.Lock()
	defer b.watching.Unlock()
	conn, ok := b.conn.(transport.Watchable)
	if !ok || b.lost != nil {
		return nil
	}
	lost, err := conn.Watch(ctx)
	if err == nil {
		b.lost = lost
	}
	return err
}

// Lost reports whether a task may have failed because the machine's connection was lost: what
// it dialled over that one has then just ended.
func Lost(ctx context.Context, h module.Host, err error) bool {
	b, ok := h.(*bound)
	if !ok || err == nil || ctx.Err() != nil || errors.Is(err, transport.ErrUnreachable) {
		return false
	}
	b.watching.Lock()
	defer b.watching.Unlock()
	return b.lost != nil && b.lost(ctx)
}
