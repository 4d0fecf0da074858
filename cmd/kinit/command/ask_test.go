package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func TestOnlyYesRemoves(t *testing.T) {
	t.Parallel()
	removals := []engine.Removal{
		{Kind: "node", Name: "k8s-compute-02", Host: "tyto", IP: "10.0.0.6", Why: "the spec no longer has it"},
		{Kind: "volume", Name: "data", Host: "tyto", Why: "the playbook no longer declares it"},
	}
	for answer, want := range map[string]bool{"y\n": true, " Yes \n": true, "n\n": false, "\n": false, "yess\n": false, "all\n": false, "y": false, "": false} {
		yes, shown, err := asks(t, t.Context(), answer, removals)
		if yes != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", answer, yes, err, want)
		}
		if text := `This run removes:
  node k8s-compute-02 on tyto, with the address 10.0.0.6: the spec no longer has it
  volume data on tyto: the playbook no longer declares it
Remove this? [y/N] `; shown != text {
			t.Errorf("%q: it shows\n%s", answer, shown)
		}
	}
}

func TestAnInterruptRemovesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if yes, _, err := asks(t, ctx, "waits", nil); yes || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", yes, err)
	}
}

// asks asks on a pipe with an answer. "waits" is none, and the pipe stays open.
func asks(t *testing.T, ctx context.Context, answer string, removals []engine.Removal) (bool, string, error) {
	t.Helper()
	tty, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer input.Close()
	if answer != "waits" {
		if _, err := input.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		_ = input.Close()
	}
	var out bytes.Buffer
	screen := view.NewText(view.Options{Out: view.Screen{Writer: &out}, Err: view.Screen{Writer: &out}, Quiet: true, Now: time.Now})
	yes, err := askRemovals(ctx, screen, tty, removals)
	return yes, out.String(), err
}
