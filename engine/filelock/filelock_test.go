package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFileIsHeldUntilItIsClosed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if Held(path) {
		t.Error("a file that is not there is held")
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if Held(path) {
		t.Error("it is held before anybody held it")
	}
	if err := Hold(file); err != nil {
		t.Fatal(err)
	}
	if !Held(path) {
		t.Error("it is not held")
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if Held(path) {
		t.Error("it is held by a file that is closed")
	}
}

func TestWaitTakesALockWhenItIsGivenBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "locks", "a")
	release, err := Wait(t.Context(), path, func() { t.Error("the first one waits") })
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		second, err := Wait(t.Context(), path, func() { close(waiting) })
		if err == nil {
			err = second()
		}
		done <- err
	}()
	<-waiting
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	release, err := Wait(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Wait(ctx, path, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
