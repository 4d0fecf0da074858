package podman

import (
	"context"
	"errors"
	"strings"
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

// printing is a host on which podman prints a text.
type printing struct {
	*moduletest.FakeHost
	text string
}

func (p printing) Run(context.Context, module.Command) (module.Output, error) {
	return module.Output{Stdout: p.text}, nil
}

// A hostile host prints millions of empty objects, each of which would take hundreds of bytes.
func TestFloodOfEmptyObjectsIsNotDecoded(t *testing.T) {
	t.Parallel()
	c := Client{Host: printing{FakeHost: moduletest.NewFakeHost(t, ""), text: "[" + strings.Repeat("{},", 2<<20) + "{}]"}}
	const want = "it has more than 100000 values"
	if _, err := c.Containers(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("list: %v, want %s", err, want)
	}
	if _, err := c.Volume(t.Context(), "data"); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("inspect: %v, want %s", err, want)
	}
}

func TestHostThatVanishesDuringAnInspectionIsUnreachable(t *testing.T) {
	t.Parallel()
	_, err := Client{Host: &unreachable{FakeHost: moduletest.NewFakeHost(t, "")}}.Volume(t.Context(), "far")
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v, want one of an unreachable host", err)
	}
}
