package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"kinit/engine/transport/internal/posix"
)

// promptly runs something that must end within 2 s after an interrupt.
func promptly(t *testing.T, do func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- do(ctx) }()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	case <-time.After(2100 * time.Millisecond):
		t.Error("it did not end within 2 s of the interrupt")
	}
}

func TestNamedPipesDoNotOutlastAnInterrupt(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("without a writer", func(t *testing.T) {
		promptly(t, func(ctx context.Context) error {
			_, err := system{}.Open(ctx, pipe)
			return err
		})
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // the call that is still under way ends
		if err != nil {
			t.Fatal(err)
		}
		_ = writer.Close()
	})
	t.Run("with a silent writer", func(t *testing.T) {
		writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer writer.Close()
		promptly(t, func(ctx context.Context) error {
			file, err := system{}.Open(ctx, pipe)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.Read(make([]byte, 1))
			return err
		})
	})
}

func TestLocalListingStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 2500 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := posix.EntrySize + 4
	if infos, err := list(t.Context(), dir, 2500*size); err != nil || len(infos) != 2500 {
		t.Errorf("got %d entries, %v", len(infos), err)
	}
	if infos, err := list(t.Context(), dir, 1500*size); !errors.Is(err, posix.ErrTooMany) || len(infos) != 1501 {
		t.Errorf("got %d entries, %v", len(infos), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := list(ended, dir, 2500*size); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt it came to %v", err)
	}
}
