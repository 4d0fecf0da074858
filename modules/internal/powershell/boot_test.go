package powershell

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
	"kinit/modules/internal/poll"
)

// booting is a host that answers one look after the other; the last one is repeated.
type booting struct {
	*moduletest.FakeHost
	answers []any // a Boot, or an error
	looks   int
}

func (b *booting) OS() module.OS { return module.Windows }

func (b *booting) Run(context.Context, module.Command) (module.Output, error) {
	answer := b.answers[min(b.looks, len(b.answers)-1)]
	b.looks++
	if err, ok := answer.(error); ok {
		return module.Output{}, err
	}
	boot := answer.(Boot)
	return module.Output{Stdout: fmt.Sprintf("kinit:{\"value\":{\"time\":%q,\"id\":%q}}\n", boot.Time, boot.ID)}, nil
}

func TestWaitForBootKnowsARestartFromAClockThatWasSet(t *testing.T) {
	t.Parallel()
	before := Boot{Time: "2026-11-21T10:00:00Z", ID: "a"}
	down := fmt.Errorf("dial: %w", transport.ErrUnreachable)
	b := &booting{FakeHost: moduletest.NewFakeHost(t, ""), answers: []any{
		before,
		Boot{Time: "2026-11-21T17:00:00Z", ID: "a"}, // the clock was set
		down, down, // a Read looks twice
		Boot{Time: "2026-11-21T10:00:00Z", ID: "b"},
	}}
	if err := WaitForBoot(t.Context(), b, before, time.Minute, nil); err != nil || b.looks != 5 {
		t.Errorf("error %v after %d looks", err, b.looks)
	}
}

func TestWaitForBootTellsWhatTheHostLacked(t *testing.T) {
	t.Parallel()
	before := Boot{Time: "2026-11-21T10:00:00Z", ID: "a"}
	lacks := func(context.Context) (bool, string, error) { return false, "", errors.New("containerd is stopped") }
	for _, c := range []struct {
		name    string
		answers []any
		ready   poll.Look
		want    string
	}{
		{"a restart", []any{before}, nil, "waited 500ms for the restart of fake: it has not gone down yet: it runs since 2026-11-21T10:00:00Z"},
		{"an answer", []any{fmt.Errorf("dial: %w", transport.ErrUnreachable)}, nil, "waited 500ms for the restart of fake: dial: unreachable"},
		{"what ready asks for", []any{Boot{ID: "b"}}, lacks, "waited 500ms for the restart of fake: containerd is stopped"},
		{"its host key", []any{fmt.Errorf("dial: %w", transport.ErrHostKey)}, nil, "dial: host key not verified"},
	} {
		b := &booting{FakeHost: moduletest.NewFakeHost(t, ""), answers: c.answers}
		if err := WaitForBoot(t.Context(), b, before, 500*time.Millisecond, c.ready); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
