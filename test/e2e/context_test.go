package e2e

import "context"

// contextWithoutEnd is for what must be done after a test has ended.
func contextWithoutEnd() context.Context { return context.Background() }
