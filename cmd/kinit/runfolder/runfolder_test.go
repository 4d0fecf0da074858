package runfolder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// made makes folders with one file each.
func made(t *testing.T, dir, file string, names ...string) {
	t.Helper()
	for _, name := range names {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func none(string) bool { return false }

func TestFolderJustMadeStaysWhenTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, dir, "log", "20261101T010000Z-a", "20261110T010000Z-a", "20261111T010000Z-a", "20261102T010000Z-a")
	removed, err := Prune(dir, 2, 0, time.Date(2026, 11, 2, 1, 0, 1, 0, time.UTC), []string{"log"}, none)
	if diff := cmp.Diff([]string{"20261111T010000Z-a", "20261110T010000Z-a"}, removed); diff != "" || err != nil {
		t.Errorf("removed (-want +got), %v:\n%s", err, diff)
	}
}

func TestFolderThatKinitDidNotMakeIsNotPruned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made(t, dir, "photo.jpg", "20261101T010000Z-holiday")
	made(t, dir, "log", "20261102T010000Z-a", "20261103T010000Z-a")
	if err := os.Mkdir(filepath.Join(dir, "20261101T020000Z-killed"), 0o700); err != nil {
		t.Fatal(err)
	}
	removed, err := Prune(dir, 1, 0, time.Date(2026, 11, 4, 0, 0, 0, 0, time.UTC), []string{"log"}, none)
	if diff := cmp.Diff([]string{"20261102T010000Z-a", "20261101T020000Z-killed"}, removed); diff != "" || err != nil {
		t.Errorf("removed (-want +got), %v:\n%s", err, diff)
	}
}
