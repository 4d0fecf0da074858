// Package poll looks at a host again and again until it is as it should be.
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

// Look tells whether the host is as it should be, and if not, why.
type Look func(ctx context.Context) (done bool, why string, err error)

// Wait is what is waited for, and how long on a machine of ordinary speed.
type Wait struct {
	For    string // in messages after "wait for"
	Within time.Duration
}

// Late is the error of a wait whose time is over.
type Late struct {
	Wait
	Limit string // how long it was, and why
	Why   string // what was wrong last
}

// Error says how long was waited for what, and what was wrong last.
func (l *Late) Error() string {
	return fmt.Sprintf("waited %s for %s: %s", l.Limit, l.For, l.Why)
}

// Until looks until the host is as it should be. The error is the look's, that of ctx,
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

// Tolerant is a look at a host that may be down for a while, each at most so long: no
// answer is no error, nor is one of a host that has not started completely. Another
// host key is.
func Tolerant(limit time.Duration, look Look) Look {
	return func(ctx context.Context) (bool, string, error) {
		short, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		done, why, err := look(short)
		if err == nil || errors.Is(err, transport.ErrHostKey) {
			return done, why, err
		}
		return false, err.Error(), ctx.Err()
	}
}
