package fail_test

import (
	"context"
	"errors"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/fail"
)

func TestItFailsWithItsMessage(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, fail.Kind(), `message = "no disk:\nadd one\n"`)
	if got := moduletest.Planned(t.Context(), task, moduletest.NewFakeHost(t, "")); got != "no disk:\nadd one" {
		t.Errorf("got %q", got)
	}
}

func TestCancelledIsNotFailed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := moduletest.Decode(t, fail.Kind(), `message = "no"`).Plan(ctx, moduletest.NewFakeHost(t, ""))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestEmptyMessageIsAMistake(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, fail.Kind(), `message = " "`)
	moduletest.Refused(t, task, "message is empty, want what is wrong and what to do")
}
