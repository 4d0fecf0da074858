package winrm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
)

// running is one command in one shell.
type running struct {
	*powershell.Process
	client  *client
	shell   *shell
	command string
	job     *job

	begun chan struct{} // closed when the script begins
	ended chan ending   // of receive, once
	fed   chan error    // of feed, once
}

// ending is the result of receiving.
type ending struct {
	code int
	err  error
}

func newRunning(c *client, s *shell, command string, j *job) *running {
	r := &running{
		client: c, shell: s, command: command, job: j,
		begun: make(chan struct{}), ended: make(chan ending, 1), fed: make(chan error, 1),
	}
	r.Process = powershell.NewProcess(j.Stdout, j.Stderr, func(int) { close(r.begun) })
	return r
}

// attend feeds the command and receives its output until it has ended. It kills the command
// if ctx ends or the input fails. After it returns, nothing is written; the caller's reader
// may still be in a Read.
func (r *running) attend(ctx context.Context) (int, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	go func() { r.ended <- r.receive(inner) }()
	go func() { r.fed <- r.feed(inner) }()
	for {
		select {
		case end := <-r.ended:
			return r.result(ctx, end)
		case err := <-r.fed:
			if err == nil {
				continue // it sent all input, or as much as the command accepts
			}
			stop()
			return r.abandon(ctx, err, <-r.ended)
		case <-ctx.Done():
			stop()
			return r.abandon(ctx, ctx.Err(), <-r.ended)
		}
	}
}

// abandon kills a command because of cause, unless it has ended meanwhile.
func (r *running) abandon(ctx context.Context, cause error, end ending) (int, error) {
	switch {
	case errors.Is(cause, errNotStarted):
		r.shell.broken = true
		return 0, cause
	case end.err == nil && ctx.Err() == nil && !errors.Is(cause, errInput):
		return r.result(ctx, end)
	}
	r.kill(ctx)
	return 0, cause
}

// kill ends the process, and its children with the shell.
func (r *running) kill(ctx context.Context) {
	r.shell.broken = true
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	_ = r.client.terminate(timed, r.shell.id, r.command) // deleting the shell also ends it
	_ = r.client.deleteShell(timed, r.shell.id)          // if unreachable, it ends after its idle time
}

func (r *running) result(ctx context.Context, end ending) (int, error) {
	switch {
	case ctx.Err() != nil && end.err != nil:
		r.kill(ctx)
		return 0, ctx.Err()
	case errors.Is(end.err, transport.ErrIncomplete):
		return end.code, end.err
	case end.err != nil && r.GiveUp():
		r.shell.broken = true
		return 0, beforeStart(ctx, end.err)
	case end.err != nil:
		r.kill(ctx)
		return 0, end.err
	}
	if err := r.Copied(); err != nil {
		return 0, err
	}
	if !r.Stdout.Begun() {
		return 0, r.neverBegan(end.code)
	}
	return end.code, nil
}

// neverBegan returns why a script did not run, with the machine's message. If the script
// did not arrive completely, and its input can be read again, it is started again.
func (r *running) neverBegan(code int) error {
	if code == powershell.Incomplete {
		err := errors.New("the script did not arrive whole, although each Send was answered")
		if !r.job.stream {
			err = fmt.Errorf("%w: %w", errNotStarted, err)
		}
		return err
	}
	return r.NeverBegan(code, "it printed nothing on its standard output")
}

// patience is how long to wait for the line of the bootstrap if it is needed: PowerShell
// may take long to start on a busy machine.
const patience = 60 * time.Second

func (r *running) awaitBegin(ctx context.Context) bool {
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-r.begun:
		return true
	case <-timed.Done():
		return false
	}
}
