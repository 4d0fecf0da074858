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
	lines := 0
	err := filepath.WalkDir(filepath.Join(root(t), "test", "winsim"), func(path string, d fs.DirEntry, err error) error {
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
	if lines > simulatedLines {
		t.Errorf("the simulated Windows has %d lines, and may have %d: use what it has, or remove what no test needs", lines, simulatedLines)
	}
	if lines < simulatedLines/2 {
		t.Errorf("the simulated Windows has only %d lines: is it elsewhere now?", lines)
	}
}
