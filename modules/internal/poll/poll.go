// Package poll looks at a host repeatedly until a condition holds.
package poll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/modules/internal/cmdtext"
)

// The time between two looks grows by a quarter each time.
const (
	firstPause   = 200 * time.Millisecond
	longestPause = time.Second
)

// Look reports whether the condition holds, and if not, why.
type Look func(ctx context.Context) (done bool, why string, err error)

// Wait is the condition, and how long to wait on a machine of ordinary speed.
type Wait struct {
	For    string // in messages after "wait for"
	Within time.Duration
}

// Late is the error of a wait that timed out.
type Late struct {
	Wait
	Limit string // the limit, and its reason
	Why   string // why the last look failed
}

// Error returns the condition, the limit, and why the last look failed.
func (l *Late) Error() string {
	return fmt.Sprintf("waited %s for %s: %s", l.Limit, l.For, l.Why)
}

// Until looks until the condition holds. The error is the look's, that of ctx,
// or a *Late.
func Until(ctx context.Context, h module.Host, w Wait, look Look) error {
	start := time.Now()
	timed, limit := module.Within(ctx, h, w.Within)
	defer limit.End()
	why := ""
	for pause := firstPause; ; pause = min(pause*5/4, longestPause) {
		done, reason, err := look(timed)
		switch {
		case err == nil && done:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case timed.Err() != nil:
			return &Late{w, limit.String(), h.Redact(why)}
		case err != nil:
			return err
		}
		why = reason
		elapsed := time.Since(start).Truncate(time.Second)
		h.Report(event.Progress{Text: cmdtext.Shorten(fmt.Sprintf("wait for %s, %s: %s", w.For, elapsed, h.Redact(why)))})
		select {
		case <-timed.Done():
		case <-time.After(pause):
		}
	}
}

// Tolerant returns a look at a host that can be down for a while, with a time limit for each
// look: no answer is not an error, nor is an error of a host that has not started completely.
// A changed host key is.
func Tolerant(limit time.Duration, look Look) Look {
	return func(ctx context.Context) (bool, string, error) {
		short, cancel := context.WithTimeout(transport.AtOnce(ctx), limit)
		defer cancel()
		done, why, err := look(short)
		if err == nil || errors.Is(err, transport.ErrHostKey) {
			return done, why, err
		}
		return false, err.Error(), ctx.Err()
	}
}
