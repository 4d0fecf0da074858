package arch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSimulatedWindowsDoesNotGrow(t *testing.T) {
	t.Parallel()
	for _, part := range []struct {
		name, folder string
		most         int
	}{
		{"the simulated Windows", "test/winsim", simulatedLines},
		{"its interpreter of PowerShell", "test/winsim/powershell", interpretedLines},
	} {
		lines := linesBelow(t, part.folder)
		if lines > part.most {
			t.Errorf("%s has %d lines, and may have %d: use what it has, or remove what no test needs", part.name, lines, part.most)
		}
		if lines < part.most/2 {
			t.Errorf("%s has only %d lines: is it elsewhere now?", part.name, lines)
		}
	}
}

// linesBelow counts the lines of Go in a folder, tests not counted.
func linesBelow(t *testing.T, folder string) int {
	t.Helper()
	lines := 0
	err := filepath.WalkDir(filepath.Join(root(t), filepath.FromSlash(folder)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		lines += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
