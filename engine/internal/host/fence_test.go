package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// kept notes what a machine says to who keeps the lock.
type kept struct{ said []string }

func (k *kept) Fenced(name string) { k.said = append(k.said, name+" is fenced") }

func (k *kept) Away(_ context.Context, name string, within time.Duration) (func(), error) {
	k.said = append(k.said, name+" is away for "+within.String())
	return func() { k.said = append(k.said, name+" is back") }, nil
}

func TestAMachineWithoutItsFenceDoesNothing(t *testing.T) {
	t.Parallel()
	connections, _ := counted(t, map[string]Settings{"a": {}})
	m, err := connections.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fence := filepath.Join(dir, "fence")
	if err := os.Symlink("/", fence); err != nil {
		t.Fatal(err)
	}
	k := &kept{}
	before := m.Bind("", nil)
	m.Fence(fence, k)
	h := m.Within(map[string]string{"A": "b"}, "", "owner", nil)
	do := func() map[string]error {
		_, run := h.Run(t.Context(), module.Command{Argv: []string{"true"}})
		_, socket := h.Socket(t.Context(), filepath.Join(dir, "socket"))
		return map[string]error{
			"run": run, "socket": socket, "step": Check(t.Context(), h),
			"write": h.Files().Write(t.Context(), dir+"/file", strings.NewReader("text"), module.Attr{}),
		}
	}
	if err := Check(t.Context(), h); err != nil {
		t.Errorf("a step of a task that dials nothing: %v", err)
	}
	for what, err := range do() {
		if what != "socket" && err != nil {
			t.Errorf("%s with the fence: %v", what, err)
		}
	}
	if err := os.Remove(fence); err != nil {
		t.Fatal(err)
	}
	for what, err := range do() {
		if !errors.Is(err, transport.ErrFenced) || !m.Fenced(err) {
			t.Errorf("%s without the fence: %v", what, err)
		}
	}
	if _, err := before.Run(t.Context(), module.Command{Argv: []string{"true"}}); err != nil {
		t.Errorf("the keeper of the lock itself: %v", err)
	}
	k.said = nil
	back, err := module.Away(t.Context(), h, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	back()
	if want := []string{"a is away for 1m0s", "a is back"}; !slices.Equal(k.said, want) {
		t.Errorf("said %q, want %q", k.said, want)
	}
}

func TestAMachineIsUsedOnceItHasPassed(t *testing.T) {
	t.Parallel()
	connections, made := counted(t, map[string]Settings{"a": {}})
	if _, err := connections.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	refusal, asked := errors.New("another run is at work"), 0
	connections.Admit(func(_ context.Context, m *Machine) error {
		asked++
		if asked == 1 {
			return refusal
		}
		return nil
	})
	if _, err := connections.Get(t.Context(), "a"); !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if _, err := connections.Get(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	if asked != 2 || made.Load() != 1 {
		t.Errorf("asked %d times, connected %d times", asked, made.Load())
	}
}
