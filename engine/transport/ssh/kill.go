package ssh

import (
	"context"
	"errors"
	"fmt"
)

// errStreams says that a worker takes no orders, because its input belongs to a
// command.
var errStreams = errors.New("the input of the session belongs to a command")

// signal sends a signal to a command's session. The worker that runs the command
// does it, also while the command runs. When the command has the session's input
// another worker does it, and when there is none, a new one.
func (l *link) signal(ctx context.Context, w *worker, name string, session int) {
	args := fmt.Sprintf(" %s %d", name, session)
	if !errors.Is(w.order(orderKill, args), errStreams) {
		return
	}
	for _, other := range l.workers.others(w) {
		if other.order(orderKill, args) == nil {
			return
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if l.signalAnew(ctx, args) != nil {
		l.signalApart(ctx, args)
	}
}

// signalAnew starts a worker for one order.
func (l *link) signalAnew(ctx context.Context, args string) error {
	w, err := l.startWorker(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.order(orderKill, args); err != nil {
		return err
	}
	return w.settle(ctx)
}

// signalApart gives the order over a connection of its own, for a server that
// allows no further session on this one. Its errors have nobody to go to: a
// command that is still there ends the wait for it by time.
func (l *link) signalApart(ctx context.Context, args string) {
	fresh, err := connect(ctx, l.config)
	if err != nil {
		return
	}
	defer fresh.close()
	_ = fresh.signalAnew(ctx, args)
}
