package winrm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/transport"
)

// receiver asks for the output of a command until it has ended.
type receiver struct {
	*running
	doubt  error     // the loss of an answer that may have contained output
	outage time.Time // when the machine stopped answering; zero while it answers
	tries  int       // attempts without an answer, or with an empty one
}

func (r *running) receive(ctx context.Context) ending {
	receiver := &receiver{running: r}
	code, err := receiver.loop(ctx)
	_ = r.Stderr.Close() // the sink keeps its error
	return ending{code, err}
}

func (r *receiver) loop(ctx context.Context) (int, error) {
	for {
		asked := time.Now()
		out, err := r.client.receive(ctx, r.shell.id, r.command)
		if err != nil {
			if err := r.bear(ctx, err, asked); err != nil {
				return 0, err
			}
			continue
		}
		r.outage = time.Time{}
		fresh, err := r.deliver(out)
		if err != nil {
			return 0, err
		}
		code, done, err := out.done()
		if err != nil {
			return 0, err
		}
		if done {
			return code, r.complete()
		}
		if err := r.calm(ctx, fresh, asked); err != nil {
			return 0, err
		}
	}
}

// deliver passes the output on, and reports whether there was any.
func (r *receiver) deliver(out *output) (bool, error) {
	fresh := false
	for _, s := range out.Streams {
		b, err := s.bytes()
		if err != nil {
			return fresh, err
		}
		fresh = fresh || len(b) > 0
		before := r.Stdout.Begun()
		switch s.Name {
		case "stdout":
			_, err = r.Stdout.Write(b)
		case "stderr":
			_, err = r.Stderr.Write(b)
		}
		if err != nil {
			return fresh, err // a sink has none
		}
		if !before && r.Stdout.Begun() {
			r.doubt = nil // the line of the bootstrap is the first output of all
		}
	}
	return fresh, nil
}

// bear decides about an error: nil means to ask again.
func (r *receiver) bear(ctx context.Context, err error, asked time.Time) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if f := asFault(err); f != nil {
		switch {
		case f.timedOut():
			r.outage = time.Time{}
			return r.calm(ctx, false, asked)
		case f.gone() && r.doubt != nil:
			return fmt.Errorf("%w: the connection was lost while the command ran, and the machine no longer knows the command: it ended with an unknown result, or the machine was restarted: %w: %w", transport.ErrUnreachable, r.doubt, err)
		case f.gone():
			return fmt.Errorf("%w: the command's shell is gone, so it is unknown how far it came: the machine or its WinRM service was restarted: %w", transport.ErrUnreachable, err)
		case !f.is(codeConcurrency): // until the machine has noticed the loss of a connection
			return err
		}
	}
	var lost *lostError
	switch {
	case errors.As(err, &lost) && lost.sent:
		r.doubt = err
	case lost == nil && asFault(err) == nil:
		return err
	}
	if r.outage.IsZero() {
		r.outage, r.tries = asked, 0
	}
	if away := time.Since(r.outage); away > r.client.config.Outage {
		return fmt.Errorf("the machine did not answer for %s while a command ran, so it is unknown how far it came: %w", away.Round(time.Second), err)
	}
	r.tries++
	return pause(ctx, r.tries)
}

// busyAnswer is the time below which an empty answer is suspicious, since the machine
// should have held the request.
const busyAnswer = 100 * time.Millisecond

// calm slows down requests to a machine that sends empty answers at once.
func (r *receiver) calm(ctx context.Context, fresh bool, asked time.Time) error {
	if fresh || time.Since(asked) > busyAnswer {
		r.tries = 0
		return nil
	}
	r.tries++
	return pause(ctx, r.tries)
}

// complete returns an error if the output of an ended command may be incomplete.
func (r *receiver) complete() error {
	unwanted := r.Stdout.Begun() && r.job.Stdout == nil && r.job.Stderr == nil
	if r.doubt == nil || unwanted {
		return nil
	}
	return fmt.Errorf("the command has ended, but %w: %w", transport.ErrIncomplete, r.doubt)
}
