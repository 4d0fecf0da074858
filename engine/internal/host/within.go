package host

import (
	"context"
	"maps"

	"kinit/engine/module"
)

// Within returns a host whose commands run with more environment variables and in a working
// directory. A command's own environment and directory have priority.
func Within(h module.Host, env map[string]string, dir string) module.Host {
	if len(env) == 0 && dir == "" {
		return h
	}
	return within{h, env, dir}
}

type within struct {
	module.Host
	env map[string]string
	dir string
}

// Run runs a command and waits.
func (w within) Run(ctx context.Context, c module.Command) (module.Output, error) {
	env := maps.Clone(w.env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, c.Env)
	c.Env = env
	if c.Dir == "" {
		c.Dir = w.dir
	}
	return w.Host.Run(ctx, c)
}
