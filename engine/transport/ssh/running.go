package ssh

import (
	"context"
	"errors"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
)

// errSilent is the error of a worker that ended before it reported whether a command began.
var errSilent = errors.New("the shell ended")

// command is a command on its way, on a worker or in a session of its own.
type command struct {
	framing.Outputs
	link *link

	began chan int   // the number of the command's process, sent once
	ended chan error // of both outputs
	fed   chan error // of the input

	err   error       // of the outputs
	cause error       // why the command is being killed
	alarm *time.Timer // when a wait is over
}

func newCommand(l *link, o framing.Outputs) command {
	alarm := time.NewTimer(0)
	alarm.Stop()
	return command{
		Outputs: o, link: l, alarm: alarm,
		began: make(chan int, 1), ended: make(chan error, 2), fed: make(chan error, 1),
	}
}

// read starts to read one of the outputs.
func (c *command) read(read func() error) {
	if !c.link.spawn(func() { c.ended <- read() }) {
		c.ended <- errSilent
	}
}

// markForKill notes why the command is to be killed, unless it is being killed already, and reports
// whether it did.
func (c *command) markForKill(cause error) bool {
	if cause == nil || c.cause != nil {
		return false
	}
	c.cause = cause
	c.Forget()
	return true
}

// release stops all writes to the caller's writers.
func (c *command) release() {
	c.alarm.Stop()
	c.Release()
}

// running is one command on one worker.
type running struct {
	command
	worker *worker
	job    *job

	session int   // 0 until the command began
	code    int   // valid once both outputs have ended without an error
	phase   phase // how far the kill is
}

// phase is the progress of ending a command.
type phase int

const (
	quiet  phase = iota // it runs
	asked               // SIGTERM was sent, or will be once its session is known
	forced              // SIGKILL was sent
	ending              // the shell itself has ended
)

// attend waits for both outputs to end. Meanwhile it feeds the command, kills it if ctx
// ends or the input fails, and gives up on a shell that does not end.
func (r *running) attend(ctx context.Context) {
	cancelled, exited := ctx.Done(), r.worker.exited
	for waiting := 2; waiting > 0; {
		select {
		case err := <-r.ended:
			waiting--
			r.err = errors.Join(r.err, err)
		case session := <-r.began:
			r.begin(ctx, session)
		case err := <-r.fed:
			r.stop(ctx, err)
		case <-cancelled:
			cancelled = nil
			r.stop(ctx, ctx.Err())
		case <-exited:
			// The rest of the outputs will arrive, unless remaining processes hold them
			// open.
			exited = nil
			r.enter(ending, patience)
		case <-r.alarm.C:
			if !r.press(ctx) {
				r.err = errors.Join(r.err, errSilent)
				return
			}
		}
	}
}

// begin feeds the command, or carries out an earlier kill.
func (r *running) begin(ctx context.Context, session int) {
	r.session, r.worker.last = session, session
	switch {
	case r.cause != nil:
		r.signal(ctx, "TERM")
	case r.job.from == framing.Session:
		r.worker.broken = true // its input cannot be read further
		go func() { r.fed <- r.feed() }()
	}
}

// stop begins to kill the command because of cause.
func (r *running) stop(ctx context.Context, cause error) {
	if r.markForKill(cause) {
		r.enter(asked, grace)
		r.signal(ctx, "TERM")
	}
}

// press starts the next phase of killing after the previous one timed out. It returns false
// if no phase is left.
func (r *running) press(ctx context.Context) bool {
	if r.phase != asked || r.session == 0 {
		return false
	}
	r.enter(forced, grace+patience)
	r.signal(ctx, framing.End) // a worker that was just ending may have got the first order
	return true
}

func (r *running) enter(p phase, wait time.Duration) {
	r.phase = p
	r.alarm.Reset(wait)
}

// signal sends a signal to the session, once it is known. It does not wait: the
// connection may hang, and attend must go on.
func (r *running) signal(ctx context.Context, name string) {
	session := r.session
	if session != 0 {
		r.link.spawn(func() { r.link.signal(ctx, r.worker, name, session) })
	}
}

// result returns how the command ended. It leaves the worker idle or broken.
func (r *running) result(ctx context.Context) (int, error) {
	select {
	case r.session = <-r.began: // it ended before attend could read it
		r.worker.last = r.session
	default:
	}
	if r.err != nil {
		r.worker.broken = true
	}
	switch {
	case r.cause != nil && r.phase == forced && errors.Is(r.err, errSilent):
		return 0, r.cause // the order was sent, and no answer came
	case r.cause != nil:
		r.sweep(ctx)
		return 0, r.cause
	case r.err == nil:
		return r.code, r.Copied()
	case errors.Is(r.err, errNoSession):
		return 0, errNoSession
	case errors.Is(r.err, errNotStarted):
		return 0, errNotStarted
	case errors.Is(r.err, transport.ErrFenced):
		return 0, transport.ErrFenced
	case r.session == 0 && errors.Is(r.err, errSilent) && !r.link.gone(ctx):
		return 0, errNotStarted // all output of the shell has arrived: nothing
	}
	if !r.link.gone(ctx) {
		r.sweep(ctx) // the shell was killed: end what it ran
	}
	return 0, lost(r.err)
}

// sweep kills the rest of a killed command's session: children that ignored SIGTERM. The
// outputs may end before the session, so a child that obeys has time to end. With a working
// worker it also waits for the kill.
func (r *running) sweep(ctx context.Context) {
	if r.session == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	signal := "KILL"
	if r.cause != nil && r.phase == asked {
		signal = framing.End
	}
	works, settled := !r.worker.broken, make(chan error, 1)
	if !r.link.spawn(func() {
		r.link.signal(ctx, r.worker, signal, r.session)
		err := errSilent
		if works {
			err = r.worker.settle(ctx)
		}
		settled <- err
	}) {
		return
	}
	select {
	case err := <-settled:
		r.worker.broken = err != nil
	case <-ctx.Done():
		r.worker.broken = true // it may still be read, and two readers would wait for one end
	}
}

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
	l.onLinkOrNew(ctx, func(l *link) error {
		w, err := l.startWorker(ctx)
		if err != nil {
			return err
		}
		defer w.close()
		if err := w.kill(name, session); err != nil {
			return err
		}
		return w.settle(ctx)
	})
}

// onLinkOrNew ends what a command started, in a new session of the connection, or over a separate
// one if the server allows no further session. It drops its errors: if the command remains, the
// wait for it times out.
func (l *link) onLinkOrNew(ctx context.Context, end func(*link) error) {
	if end(l) == nil {
		return
	}
	fresh, err := connect(ctx, l.config)
	if err != nil {
		return
	}
	defer fresh.close()
	_ = end(fresh)
}
