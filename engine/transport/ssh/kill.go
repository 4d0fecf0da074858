package ssh

import (
	"context"
	"errors"
)

// errDeaf is the error of a worker that accepts no orders: its input belongs to a command,
// or it has ended.
var errDeaf = errors.New("the shell takes no orders")

// signal sends a signal to a command's session. The worker of the command does it, even
// while the command runs. If the command has the session's input, or the worker has ended,
// another worker does it, or a new one.
func (l *link) signal(ctx context.Context, w *worker, name string, session int) {
	if !errors.Is(w.kill(name, session), errDeaf) {
		return
	}
	for _, other := range l.workers.Others(w) {
		if other.kill(name, session) == nil {
			return
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if l.signalAnew(ctx, name, session) != nil {
		l.signalApart(ctx, name, session)
	}
}

// signalAnew starts a worker for one order.
func (l *link) signalAnew(ctx context.Context, name string, session int) error {
	w, err := l.startWorker(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.kill(name, session); err != nil {
		return err
	}
	return w.settle(ctx)
}

// signalApart sends the order over a separate connection, for a server that allows no
// further session on this one. It drops its errors: if the command remains, the wait for it
// times out.
func (l *link) signalApart(ctx context.Context, name string, session int) {
	fresh, err := connect(ctx, l.config)
	if err != nil {
		return
	}
	defer fresh.close()
	_ = fresh.signalAnew(ctx, name, session)
}
