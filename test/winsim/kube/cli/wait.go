package cli

import (
	"context"
	"time"
)

// Pause is how long a program waits between looks at the machine.
const Pause = 50 * time.Millisecond

// Until asks until the answer is yes, and tells whether it was.
func Until(ctx context.Context, limit time.Duration, ask func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !ask() {
		if !Sleep(ctx, Pause) {
			return false
		}
	}
	return true
}

// Sleep waits and tells whether ctx is still good.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}
