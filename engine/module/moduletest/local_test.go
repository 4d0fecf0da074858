package moduletest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"kinit/engine/module"
)

func TestLocalRunGivesOutputCodesAndLines(t *testing.T) {
	t.Parallel()
	h := LocalHost(t, "")
	var lines []string
	out, err := h.Run(t.Context(), module.Command{
		Argv: []string{"sh", "-c", "echo $WORD; pwd; echo oops >&2; exit 7"},
		Env:  map[string]string{"WORD": "hello"}, Dir: h.Dir,
		Line: func(line string) { lines = append(lines, line) },
	})
	var exit *module.ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || exit.Stderr != "oops\n" {
		t.Errorf("error %#v, want code 7", err)
	}
	if want := "hello\n" + h.Dir + "\n"; out.Stdout != want {
		t.Errorf("stdout %q, want %q", out.Stdout, want)
	}
	slices.Sort(lines)
	if want := []string{h.Dir, "hello", "oops"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
}

func TestLocalRunKillsTheWholeGroupWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	h := LocalHost(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", "sleep 60 & wait"}})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

func TestLocalRunOfAMissingProgramEndsWith127(t *testing.T) {
	t.Parallel()
	_, err := LocalHost(t, "").Run(t.Context(), module.Command{Argv: []string{"/no/such/program"}})
	var exit *module.ExitError
	if !errors.As(err, &exit) || exit.Code != 127 {
		t.Errorf("error %v, want code 127", err)
	}
}
