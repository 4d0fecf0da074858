package reboot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
	"kinit/modules/internal/cmdtext"
)

const (
	// pause is the time between two looks at the host.
	pause = time.Second
	// patience is how long one look can take: a host that goes down can leave a
	// connection on which nothing is ever answered.
	patience = 15 * time.Second
)

// startScript restarts the host in a separate session after one second, so that
// the connection still receives the confirmation.
const startScript = `setsid sh -c 'sleep 1; exec "$@"' sh "$@" </dev/null >/dev/null 2>&1 &`

// do restarts the host if that is still needed.
func (t *Task) do(ctx context.Context, h module.Host) error {
	why, err := t.reason(ctx, h)
	if err != nil || why == "" {
		return err
	}
	before, err := t.readID(ctx, h)
	if err != nil {
		return err
	}
	if err := t.refuseSelf(h, before); err != nil {
		return err
	}
	within := t.Within.Time()
	// Measured before the restart, because the host does not answer during it.
	slow := module.Gauge(h).Measure(ctx)
	limit := pace.Stretch(within, slow)
	start := time.Now()
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	back, err := module.Away(ctx, h, limit)
	if err != nil {
		return err
	}
	defer back()
	if err := t.start(timed, h); err != nil {
		return err
	}
	last, err := t.await(timed, h, before, start)
	t.elapsed = time.Since(start)
	if err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s was restarted and is not ready after %s: %s", h.Name(), pace.Text(within, slow), h.Redact(last))
	}
	return err
}

// refuseSelf refuses to restart the machine that kinit runs on.
func (t *Task) refuseSelf(h module.Host, id string) error {
	own, err := os.ReadFile(t.paths.here)
	if err != nil || strings.TrimSpace(string(own)) != id {
		return nil // a machine without /proc is not Linux, and so another machine
	}
	return fmt.Errorf("%s is the machine that kinit runs on, or a container on it: restart it yourself", h.Name())
}

// start begins the restart. A connection that is lost meanwhile is part of a
// restart.
func (t *Task) start(ctx context.Context, h module.Host) error {
	_, err := h.Run(ctx, module.Command{Argv: append([]string{"sh", "-c", startScript, "sh"}, t.Command...)})
	if err != nil && !errors.Is(err, transport.ErrUnreachable) {
		return fmt.Errorf("restart %s: %w", h.Name(), err)
	}
	return nil
}

// await looks until the host has another boot id and is ready. last is the reason of
// the last failed look.
func (t *Task) await(ctx context.Context, h module.Host, before string, start time.Time) (last string, err error) {
	for {
		why, err := t.look(ctx, h, before)
		switch {
		case errors.Is(err, transport.ErrHostKey):
			return last, err
		case ctx.Err() != nil:
			return last, ctx.Err()
		case err != nil:
			last = err.Error()
		case why == "":
			return "", nil
		default:
			last = why
		}
		shown := last
		if errors.Is(err, transport.ErrUnreachable) {
			shown = "the host does not answer"
		}
		elapsed := time.Since(start).Truncate(time.Second)
		h.Report(event.Progress{Text: cmdtext.Shorten(fmt.Sprintf("restart, %s: %s", elapsed, h.Redact(shown)))})
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// look returns what the host still lacks, "" for nothing.
func (t *Task) look(ctx context.Context, h module.Host, before string) (string, error) {
	ctx = transport.AtOnce(ctx)
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	id, err := t.readID(timed, h)
	switch {
	case err != nil:
		return "", err
	case id == before:
		return "it has not gone down yet: its boot id is still " + before, nil
	case len(t.Ready) == 0:
		return "", nil
	}
	// A command that waits for the end of the boot can use all the remaining time.
	_, err = h.Run(ctx, module.Command{Argv: t.Ready})
	return "", err
}
