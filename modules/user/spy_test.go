package user_test

import (
	"context"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/roottest"
)

// spy keeps the arguments of every command.
type spy struct {
	*roottest.Host
	lines string
}

func (s *spy) Run(ctx context.Context, c module.Command) (module.Output, error) {
	s.lines += strings.Join(c.Argv, " ") + "\n"
	return s.Host.Run(ctx, c)
}
