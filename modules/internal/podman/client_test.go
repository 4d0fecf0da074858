package podman

import (
	"context"
	"errors"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
)

// unreachable is a host that vanishes after a command that has failed.
type unreachable struct {
	*moduletest.FakeHost
	commands int
}

func (u *unreachable) Run(context.Context, module.Command) (module.Output, error) {
	if u.commands++; u.commands == 1 {
		return module.Output{}, &module.ExitError{Code: 125}
	}
	return module.Output{}, transport.ErrUnreachable
}

func TestHostThatVanishesDuringAnInspectionIsUnreachable(t *testing.T) {
	t.Parallel()
	_, err := Client{Host: &unreachable{FakeHost: moduletest.NewFakeHost(t, "")}}.Volume(t.Context(), "far")
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v, want one of an unreachable host", err)
	}
}
