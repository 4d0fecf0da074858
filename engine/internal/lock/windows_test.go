package lock

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/test/winsim/winhost"
)

func TestALockOnWindows(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	const file = "C:/ProgramData/kinit/locks/it's c1"
	if err := take(t.Context(), h, Runs{}, file, "first"); err != nil {
		t.Fatal(err)
	}
	if answer, err := try(t.Context(), h, file, "second", ""); err != nil || !strings.HasPrefix(answer, "first ") {
		t.Errorf("somebody else's lock: %q, %v", answer, err)
	}
	if answer, err := try(t.Context(), h, file, "first", ""); err != nil || answer != "taken" {
		t.Errorf("one's own lock: %q, %v", answer, err)
	}
	if answer, err := try(t.Context(), h, file, "second", "first"); err != nil || answer != "taken" {
		t.Errorf("the lock of a run that has died: %q, %v", answer, err)
	}
	if err := h.Files().Write(t.Context(), file, strings.NewReader("first 1000\n"), module.Attr{}); err != nil {
		t.Fatal(err)
	}
	if err := take(t.Context(), h, Runs{}, file, "second"); err != nil {
		t.Errorf("a dead lock: %v", err)
	}
}

func TestALockOnWindowsIsGivenBack(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	_, held, err := Acquire(t.Context(), h, Runs{}, "c1", "first")
	if err != nil {
		t.Fatal(err)
	}
	other := &Lock{host: h, file: held.file, token: "second", alive: &alive{}, stop: func() {}, lost: func(error) {}}
	if err := other.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := h.Files().Stat(t.Context(), "C:/ProgramData/kinit/locks/c1"); err != nil {
		t.Errorf("somebody else's release: %v", err)
	}
	for range 2 {
		if err := held.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Files().Stat(t.Context(), "C:/ProgramData/kinit"); err == nil {
		t.Error("empty folders are left")
	}
	_, next, err := Acquire(t.Context(), h, Runs{}, "c1", "third")
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
