package powershell

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/poll"
)

//go:embed boot.ps1
var bootScript string

// Boot identifies one start of a host.
type Boot struct {
	Time string `json:"time"` // LastBootUpTime in UTC, RFC 3339; it moves when the clock is set
	ID   string `json:"id"`   // creation time of the first process; it does not change
}

// LastBoot reads the start time of the host.
func LastBoot(ctx context.Context, h module.Host) (Boot, error) {
	return Read[Boot](ctx, h, bootScript, nil)
}

// WaitForBoot waits until the host has started again and ready, which can be nil, reports
// that it is usable. The error of a host that is not back in time is a *poll.Late.
func WaitForBoot(ctx context.Context, h module.Host, before Boot, within time.Duration, ready poll.Look) error {
	wait := poll.Wait{For: "the restart of " + h.Name(), Within: within}
	return poll.Until(ctx, h, wait, poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) {
		now, err := LastBoot(ctx, h)
		switch {
		case err != nil:
			return false, "", err
		case now.ID == before.ID:
			return false, fmt.Sprintf("it has not gone down yet: it runs since %s", before.Time), nil
		case ready == nil:
			return true, "", nil
		}
		return ready(ctx)
	}))
}
