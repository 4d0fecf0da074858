// Package program builds kinit for tests, with the build tags of the file tags, which the
// Makefile uses too.
package program

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

//go:embed tags
var tags string

// Tags returns the build tags of kinit, separated by commas.
func Tags() string { return strings.TrimSpace(tags) }

// Build builds kinit into a file below a folder that is removed after the test, and returns
// the file's path.
func Build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kinit")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", Tags(), "-ldflags=-w", "-o", path, "./cmd/kinit")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build kinit: %v\n%s", err, out)
	}
	return path
}

// root returns the folder of the module, which is two above this file.
func root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the folder of this source file is unknown")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}
