package service

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kinit/engine/module"
)

// logLines is how many lines of a unit's journal are added to the error of a failed
// start.
const logLines = "20"

// settleTime is how long a service must run to count as started. systemd reports a start of Type=simple and Type=exec as soon
// as the program runs, before it has read its configuration.
const settleTime = 500 * time.Millisecond

// Done is what a task has done that the unit does not show.
type Done struct{ ended bool }

// Remember makes tasks of the same unit share what was done.
func (t *Task) Remember(done *Done) { t.done = done }

// start starts, restarts or reloads the unit. The error of a failed start has the end of its
// journal.
func (t *Task) start(ctx context.Context, h module.Host, verb string) error {
	err := systemctl(ctx, h, t.unit(), verb)
	if module.Exited(err) {
		return t.withJournal(ctx, h, t.explain(ctx, h, err))
	}
	if err != nil || verb == "reload" {
		return err
	}
	return t.settle(ctx, h)
}

// settle returns an error if the service does not stay as systemctl has started it.
func (t *Task) settle(ctx context.Context, h module.Host) error {
	first, err := show(ctx, h, t.unit())
	if err != nil || first.kind == "" {
		return err
	}
	if first.once() {
		t.done.ended = true
		return nil
	}
	if now := first; first.active() && (first.kind == "simple" || first.kind == "exec") {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settleTime):
		}
		if now, err = show(ctx, h, t.unit()); err != nil {
			return err
		}
		if now.active() && now.restarts == first.restarts {
			return nil
		}
		first = now
	} else if first.active() {
		return nil
	}
	if first.result == "success" && first.activeState == "inactive" {
		return t.withJournal(ctx, h, fmt.Errorf("%s was started and has ended with success: for a program that does its work and ends, "+
			"use Type=oneshot, with RemainAfterExit=yes if it should count as started from then on", t.unit()))
	}
	return t.withJournal(ctx, h, fmt.Errorf("%s was started and has failed (%s)", t.unit(), first.failure()))
}

// failure describes how the last run ended.
func (s shown) failure() string {
	words := "result " + s.result
	if s.result == "success" || s.sub == "auto-restart" { // of the run that has begun since
		words = "systemd restarts it again and again"
	}
	if s.status != "" && s.status != "0" {
		words += ", status " + s.status
	}
	return words
}

// explain adds the cause to the error of a failed start, if the unit shows it.
func (t *Task) explain(ctx context.Context, h module.Host, failed error) error {
	s, err := show(ctx, h, t.unit())
	switch {
	case err != nil || s.result != "timeout":
		return failed
	case s.kind == "notify" || s.kind == "notify-reload":
		return fmt.Errorf("%w\nIt has Type=%s and did not report within %s (TimeoutStartSec) that it is ready: "+
			"the program has to send READY=1, see sd_notify(3); if it cannot, use Type=exec", failed, s.kind, s.limit)
	case s.kind == "forking":
		return fmt.Errorf("%w\nIt has Type=forking and did not go to the background within %s (TimeoutStartSec): "+
			"if the program stays in the foreground, use Type=exec", failed, s.limit)
	}
	return failed
}

// withJournal adds the end of the unit's journal to an error.
func (t *Task) withJournal(ctx context.Context, h module.Host, failed error) error {
	out, err := h.Run(ctx, module.Command{Argv: []string{"journalctl", "--no-pager", "--output=cat",
		"--lines=" + logLines, "--unit=" + t.unit()}})
	if err != nil || strings.TrimSpace(out.Stdout) == "" {
		return failed
	}
	return fmt.Errorf("%w\nthe end of its journal:\n%s", failed, strings.TrimRight(h.Redact(out.Stdout), "\n"))
}
