package winwait

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/powershell"
)

//go:embed port.ps1
var portScript string

//go:embed path.ps1
var pathScript string

//go:embed service.ps1
var serviceScript string

// seen is the result of a look: whether the condition holds, and if not, why.
type seen struct {
	Done bool
	Why  string
}

// look reports whether the condition holds, and if not, why.
func (t *Task) look(ctx context.Context, h module.Host) (done bool, why string, err error) {
	s, err := t.see(ctx, h)
	if err != nil {
		return false, "", err
	}
	if t.Gone {
		return !s.Done, "it is still so", nil
	}
	return s.Done, s.Why, nil
}

func (t *Task) see(ctx context.Context, h module.Host) (seen, error) {
	switch {
	case t.Port != 0:
		return powershell.Read[seen](ctx, h, portScript, map[string]any{"address": t.Address, "port": t.Port})
	case t.Path != "":
		return powershell.Read[seen](ctx, h, pathScript, map[string]any{"path": t.Path})
	case t.Service != "":
		return powershell.Read[seen](ctx, h, serviceScript, map[string]any{"service": t.Service, "state": states()[t.ServiceState]})
	}
	return t.ask(ctx, h)
}

// ask runs the playbook's script. If the script fails, the condition does not hold.
func (t *Task) ask(ctx context.Context, h module.Host) (seen, error) {
	out, err := h.Run(ctx, module.Command{PowerShell: t.Script})
	if exit, ok := errors.AsType[*module.ExitError](err); ok {
		return seen{Why: fmt.Sprintf("the script ended with code %d: %s", exit.Code, strings.TrimSpace(module.Tail(exit.Stderr, 1)))}, nil
	}
	if err != nil {
		return seen{}, err
	}
	last := strings.TrimSpace(module.Tail(strings.TrimSpace(out.Stdout), 1))
	return seen{last == "True", "the script printed " + cmdtext.Shorten(fmt.Sprintf("%q", last)) + " and not True"}, nil
}
