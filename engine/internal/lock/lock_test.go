package lock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestALiveLockIsHeldAndADeadOneIsTakenOver(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := filepath.Join(t.TempDir(), "locks", "c1")
	if err := take(t.Context(), h, Runs{}, file, "first"); err != nil {
		t.Fatal(err)
	}
	if answer, err := try(t.Context(), h, file, "second", ""); err != nil || !strings.HasPrefix(answer, "first ") {
		t.Errorf("somebody else's lock: %q, %v", answer, err)
	}
	if answer, err := try(t.Context(), h, file, "first", ""); err != nil || answer != "taken" {
		t.Errorf("one's own lock: %q, %v", answer, err)
	}
	old := moduletest.LocalHost(t, "")
	if err := old.Files().Write(t.Context(), file, strings.NewReader("first 1000\n"), attr()); err != nil {
		t.Fatal(err)
	}
	if err := take(t.Context(), h, Runs{}, file, "second"); err != nil {
		t.Errorf("a dead lock: %v", err)
	}
}

func TestALockThatIsRenewedIsAnErrorThatNamesItsHolder(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := filepath.Join(t.TempDir(), "locks", "c1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := take(ctx, h, Runs{}, file, "first"); err != nil {
		t.Fatal(err)
	}
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		for ctx.Err() == nil {
			_, _ = try(ctx, h, file, "first", "") // ends with ctx
			time.Sleep(100 * time.Millisecond)
		}
	}()
	err := take(ctx, h, Runs{}, file, "second")
	cancel()
	<-renewed
	if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "first holds the lock") {
		t.Errorf("got %v", err)
	}
}

func attr() module.Attr { return module.Attr{Mode: 0o644} }

func TestALookThatWasKilledInBetweenHoldsNobodyUpForLong(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := filepath.Join(t.TempDir(), "locks", "c1")
	if err := os.MkdirAll(file+".busy", 0o700); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-busyTime - 2*time.Second)
	if err := os.Chtimes(file+".busy", past, past); err != nil {
		t.Fatal(err)
	}
	if answer, err := try(t.Context(), h, file, "second", ""); err != nil || answer != "taken" {
		t.Errorf("got %q, %v, want the lock", answer, err)
	}
	if _, err := os.Stat(file + ".busy"); !os.IsNotExist(err) {
		t.Errorf("the mark of a look is still there: %v", err)
	}
}
