package winrm

import (
	"context"
	"errors"
	"fmt"
	"io"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
)

// errNotStarted is the error of a script that certainly did not run, so that it may be sent
// again.
var errNotStarted = errors.New("the script was not started")

// mostStarts is how often a command is started if connections or shells are lost before its
// script is complete.
const mostStarts = 4

// job is a command to run, prepared so that it can be started more than once.
type job struct {
	transport.Process
	header []byte
	input  []byte // the whole input, unless it is streamed
	stream bool   // the input is still to be read
}

// shortInput is the most input, in bytes, that is sent with the script itself if its reader
// knows its length.
const shortInput = 128 << 10

func newJob(p transport.Process) (*job, error) {
	header, err := powershell.Header(powershell.Fenced(p.Line, p.Fence))
	if err != nil {
		return nil, err
	}
	j := &job{Process: p, header: header}
	if j.Stdin == nil {
		return j, nil
	}
	known, ok := p.Stdin.(interface{ Len() int })
	if j.stream = !ok || known.Len() > shortInput; j.stream {
		return j, nil
	}
	if j.input, err = io.ReadAll(p.Stdin); err != nil {
		return nil, fmt.Errorf("read the standard input: %w", err)
	}
	return j, nil
}

// exec runs a command in one of the shells.
func (c *Conn) exec(ctx context.Context, p transport.Process) (int, error) {
	j, err := newJob(p)
	if err != nil {
		return 0, err
	}
	for try := 1; ; try++ {
		s, err := c.shells.Take(ctx)
		if err != nil {
			return 0, err
		}
		code, err := c.run(ctx, s, j)
		c.shells.Put(ctx, s, s.usable())
		if err == nil && powershell.IsFenced(code, p.Fence) {
			return 0, transport.ErrFenced
		}
		if !errors.Is(err, errNotStarted) || try == mostStarts {
			return code, err
		}
		if overQuota(err) {
			c.shells.Empty(ctx) // which frees their part of the quota of operations
		}
		if err := pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// run runs a command in the shell, and leaves the shell usable or broken.
func (c *Conn) run(ctx context.Context, s *shell, j *job) (int, error) {
	s.commands++
	id, err := c.client.start(ctx, s.id, powershell.CommandLine())
	if err != nil {
		s.broken = true
		if overQuota(err) && s.commands == 1 {
			// Deleting a shell in which no command ever started frees nothing: callers wait for
			// the others.
			c.shells.Lower()
		}
		return 0, beforeStart(ctx, err)
	}
	r := newRunning(c.client, s, id, j)
	code, err := r.attend(ctx)
	if s.broken {
		return code, err
	}
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	s.broken = c.client.terminate(timed, s.id, id) != nil // so that the machine can release the command
	return code, err
}

// beforeStart marks the errors before a script is complete after which the command can be
// started again.
func beforeStart(ctx context.Context, err error) error {
	var lost *lostError
	f := asFault(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &lost), f != nil && (f.gone() || f.passing() || f.is(codeTooManyCommands)):
		return fmt.Errorf("%w: %w", errNotStarted, err)
	}
	return err
}
