package subprocess

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

func TestOutputIsWhatAProgramPrintsAndTheEndOfWhatItSays(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct{ printed, said, err string }{
		"echo one; echo two >&2":                        {"one\n", "two", ""},
		"echo 'No such host.' >&2; exit 3":              {"", "No such host", "exit status 3"},
		"head -c 101 /dev/zero | tr '\\0' x; exit 0":    {"", "", "it printed more than 100 bytes"},
		"head -c 100000 /dev/zero | tr '\\0' x; exit 0": {"", "", "it printed more than 100 bytes"},
		"ls -A": {"", "", ""},
	} {
		printed, said, err := Program{Argv: []string{"sh", "-c", script}, Most: 100}.Output(t.Context())
		got := ""
		if err != nil {
			got = err.Error()
		}
		if string(printed) != want.printed || said != want.said || got != want.err {
			t.Errorf("%s: %q, %q, %q", script, printed, said, got)
		}
	}
}

func TestAProgramEndsWithTheContextAndItsGroupToo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, _, err := (Program{Argv: []string{"sh", "-c", "sleep 1000 & sleep 1000"}, Most: 100}).Output(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want %v", err, context.DeadlineExceeded)
	}
	if _, _, err := (Program{Argv: []string{"setsid", "-f", "sleep", "5"}, Most: 100}).Output(t.Context()); !errors.Is(err, exec.ErrWaitDelay) {
		t.Errorf("%v, want %v", err, exec.ErrWaitDelay)
	}
}
