package wait

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/poll"
)

const (
	// evidenceTime is how long one command of the evidence may take.
	evidenceTime = 30 * time.Second
	// evidenceLines is how many lines of its output are kept.
	evidenceLines = 40
)

// wait looks until the condition holds or the time is over.
func (t *Task) wait(ctx context.Context, h module.Host) error {
	start := time.Now()
	watched := t.Watchdog.watch(ctx, h)
	err := poll.Until(ctx, h, poll.Wait{For: t.what(h), Within: t.Within.Time()}, func(ctx context.Context) (bool, string, error) {
		return t.look(ctx, h)
	})
	t.elapsed = time.Since(start)
	t.restart = watched()
	late, ok := errors.AsType[*poll.Late](err)
	if !ok {
		return err
	}
	said := late.Error()
	if t.restart != "" {
		said += "\n" + t.restart
	}
	return errors.New(said + t.evidence(ctx, h))
}

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

// evidence runs the commands that can show the cause, and lists their output.
func (t *Task) evidence(ctx context.Context, h module.Host) string {
	var b strings.Builder
	for _, argv := range t.Evidence {
		short, cancel := context.WithTimeout(ctx, module.Stretch(h, evidenceTime))
		out, err := h.Run(short, module.Command{Argv: argv})
		cancel()
		text := module.Tail(out.Stdout+out.Stderr, evidenceLines)
		if exit, ok := errors.AsType[*module.ExitError](err); ok {
			text += fmt.Sprintf("\n(ended with code %d)", exit.Code)
		} else if err != nil {
			text += "\n(" + err.Error() + ")"
		}
		fmt.Fprintf(&b, "\n$ %s\n%s", cmdtext.Show(h, argv), strings.TrimPrefix(h.Redact(text), "\n"))
	}
	return b.String()
}
