package seen_test

import (
	"context"
	"errors"
	"testing"

	"kinit/engine/module"
	"kinit/modules/internal/seen"
)

func TestAReadingIsUsedOnceAndOnlyWhereNothingWasToBeDone(t *testing.T) {
	t.Parallel()
	step := module.NewStep("change", func(context.Context, module.Host) error { return nil })
	broken := errors.New("the host is gone")
	var kept seen.Reading[string]
	or := func() (string, error) { return kept.Or(func() (string, error) { return "again", broken }) }

	if got, err := or(); got != "again" || !errors.Is(err, broken) {
		t.Errorf("before any plan: %q, %v, want what was read", got, err)
	}
	kept.After("in place", nil)
	if got, err := or(); got != "in place" || err != nil {
		t.Errorf("after a plan without steps: %q, %v, want %q", got, err, "in place")
	}
	if got, err := or(); got != "again" || !errors.Is(err, broken) {
		t.Errorf("the second time: %q, %v, want what was read", got, err)
	}
	kept.After("in place", nil)
	if steps := kept.After("to do", []module.Step{step}); len(steps) != 1 {
		t.Errorf("%d steps, want 1", len(steps))
	}
	if got, err := or(); got != "again" || !errors.Is(err, broken) {
		t.Errorf("after a plan with steps: %q, %v, want what was read", got, err)
	}
}
