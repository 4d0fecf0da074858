package wait

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
)

const (
	// firstPause and longestPause are the time between two looks, which grows by
	// a quarter each time.
	firstPause   = 200 * time.Millisecond
	longestPause = time.Second
	// evidenceTime is how long one command of the evidence may take.
	evidenceTime = 30 * time.Second
	// evidenceLines is how much of what it prints is kept.
	evidenceLines = 40
)

// wait looks until it is so or the time is over.
func (t *Task) wait(ctx context.Context, h module.Host) error {
	within, err := time.ParseDuration(t.Within)
	if err != nil {
		return err
	}
	start := time.Now()
	why, err := t.poll(ctx, h, start, within)
	t.elapsed = time.Since(start)
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.New(t.late(h, within, why) + t.evidence(ctx, h))
}

// poll looks again and again. The error is that of the context when the time is
// over; why then says what was wrong last.
func (t *Task) poll(ctx context.Context, h module.Host, start time.Time, within time.Duration) (why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for pause := firstPause; ; pause = min(pause*5/4, longestPause) {
		done, reason, err := t.look(ctx, h)
		if err != nil || done {
			return why, err
		}
		why = reason
		t.report(h, start, why)
		select {
		case <-ctx.Done():
			return why, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (t *Task) report(h module.Host, start time.Time, why string) {
	elapsed := time.Since(start).Truncate(time.Second)
	h.Report(event.Progress{Text: cmdtext.Shorten(fmt.Sprintf("wait for %s, %s: %s", t.what(h), elapsed, h.Redact(why)))})
}

// what names the thing that is waited for.
func (t *Task) what(h module.Host) string {
	gone := ""
	if t.Gone {
		gone = " to be gone"
	}
	switch {
	case t.Port != 0:
		return "port " + t.endpoint() + gone
	case t.Path != "":
		return t.Path + gone
	case t.URL != "":
		return h.Redact(t.URL) + gone
	case t.Gone:
		return cmdtext.Show(h, t.Argv) + " to fail"
	}
	return cmdtext.Show(h, t.Argv)
}

func (t *Task) endpoint() string { return net.JoinHostPort(t.Address, strconv.Itoa(t.Port)) }

// late is the error's first line.
func (t *Task) late(h module.Host, within time.Duration, why string) string {
	return fmt.Sprintf("waited %s for %s: %s", within, t.what(h), h.Redact(why))
}

// evidence runs the commands that may show why, and lists what they print.
func (t *Task) evidence(ctx context.Context, h module.Host) string {
	var b strings.Builder
	for _, argv := range t.Evidence {
		short, cancel := context.WithTimeout(ctx, evidenceTime)
		out, err := h.Run(short, module.Command{Argv: argv})
		cancel()
		text := module.Tail(out.Stdout+out.Stderr, evidenceLines)
		if exit := (*module.ExitError)(nil); errors.As(err, &exit) {
			text += fmt.Sprintf("\n(ended with code %d)", exit.Code)
		} else if err != nil {
			text += "\n(" + err.Error() + ")"
		}
		fmt.Fprintf(&b, "\n$ %s\n%s", cmdtext.Show(h, argv), strings.TrimPrefix(h.Redact(text), "\n"))
	}
	return b.String()
}
