package ssh

import (
	"context"
	"errors"
	"io"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
)

// Time limits for operations that normally take a round trip.
const (
	grace    = 2 * time.Second // for a session to end after SIGTERM
	patience = 5 * time.Second // for it to end after SIGKILL, and for other answers
)

// mostNoSessions is after how many shells without a number a command is given up.
const mostNoSessions = 3

// exec runs a job on one of the workers. A job that a worker did not begin goes
// to another one.
func (l *link) exec(ctx context.Context, j *job) (int, error) {
	for noSessions := 0; ; {
		workers := l.workers
		if j.Urgent && !l.urgentShared.Load() {
			workers = l.urgent
		}
		w, err := workers.Take(ctx)
		if errors.Is(err, errRefused) && l.shareUrgent(ctx) {
			continue
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, transport.ErrBecome) && !errors.Is(err, transport.ErrUnreachable) && l.gone(ctx) {
			return 0, errNotStarted
		}
		if err != nil {
			return 0, err
		}
		code, err := l.run(ctx, w, j)
		workers.Put(ctx, w, !w.broken)
		if l.urgentShared.Load() {
			l.urgent.Empty(ctx)
		}
		if errors.Is(err, errNoSession) {
			noSessions++
		}
		if !errors.Is(err, errNotStarted) || l.gone(ctx) || noSessions == mostNoSessions {
			return code, err
		}
	}
}

// shareUrgent gives up the worker for urgent commands, because the server has no free session: they share the others. It
// returns false if that was done before.
func (l *link) shareUrgent(ctx context.Context) bool {
	first := l.urgentShared.CompareAndSwap(false, true)
	l.urgent.Empty(ctx)
	return first
}

// run runs a job on the worker and leaves the worker idle or broken.
func (l *link) run(ctx context.Context, w *worker, j *job) (int, error) {
	nonce := w.nonce
	script := framing.Command{
		Nonce: nonce, Shell: l.config.shell, Line: j.Line, Env: j.Env,
		Fence: j.Fence, Run: l.config.Run, Last: w.last, Input: j.from, Data: j.data,
	}
	if err := w.sendSoon(ctx, script.Script()); err != nil {
		w.broken = true
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, errNotStarted // half a script is not run
	}
	r := &running{command: newCommand(l, framing.NewOutputs(j.Stdout, j.Stderr)), worker: w, job: j}
	defer r.release()
	r.read(func() error { return r.readOutput(nonce) })
	r.read(func() error { return r.readErrors(nonce) })
	r.attend(ctx)
	code, err := r.result(ctx)
	if !w.broken {
		w.listen()
	}
	return code, err
}

// readOutput reads the standard output of a command and its exit code.
func (r *running) readOutput(nonce string) error {
	from := r.worker.stdout
	if err := <-r.worker.heard[0]; err != nil {
		return errSilent
	}
	switch word, err := from.ReadByte(); {
	case err != nil:
		return errSilent
	case word == framing.Busy:
		r.worker.close()
		return errNotStarted
	case word == framing.Fenced:
		r.worker.close()
		return transport.ErrFenced
	}
	session, err := framing.Number(from)
	if err != nil {
		return err
	}
	if session == 0 {
		r.worker.close()
		return errNoSession
	}
	r.began <- session
	if err := framing.Until(from, nonce, r.Stdout); err != nil {
		return err
	}
	r.code, err = framing.Number(from)
	return err
}

func (r *running) readErrors(nonce string) error {
	if err := <-r.worker.heard[1]; err != nil {
		return err
	}
	return framing.Until(r.worker.stderr, nonce, r.Stderr)
}

// feed gives the session's input to the command and copies into it. It returns only errors
// of the reader: the command may end before it has read everything.
func (r *running) feed() error {
	if err := r.worker.stream(); err != nil {
		return nil // the outputs report the lost connection
	}
	from := framing.NewSource(r.job.Stdin)
	_, _ = io.Copy(r.worker.session, from)
	if from.Err == nil {
		_ = r.worker.session.CloseWrite()
	}
	return from.Err
}
