package module

import (
	"context"
	"time"
)

// Away says that a host is about to be away, through a restart of it, for so long at most:
// the run keeps its lock there for that time instead of stopping because nobody answers.
// The function returned says that it is back.
func Away(ctx context.Context, h Host, within time.Duration) (back func(), err error) {
	if a, ok := h.(interface {
		Away(ctx context.Context, within time.Duration) (func(), error)
	}); ok {
		return a.Away(ctx, within)
	}
	return func() {}, nil
}
