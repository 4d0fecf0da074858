package module

import (
	"context"
	"time"
)

// Away announces that a host will be away, for example for a restart, for at most within.
// The run keeps its lock there for that time instead of stopping because the host does not
// answer. The caller calls the returned function when the host is back.
func Away(ctx context.Context, h Host, within time.Duration) (back func(), err error) {
	if a, ok := h.(interface {
		Away(ctx context.Context, within time.Duration) (func(), error)
	}); ok {
		return a.Away(ctx, within)
	}
	return func() {}, nil
}
