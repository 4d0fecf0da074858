package moduletest

import (
	"os"
	"os/exec"
	"testing"
)

// Shell runs a script in a folder of this machine and returns what it prints. A script that fails fails the test.
func Shell(t testing.TB, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return string(out)
}

// Enterable makes a folder that every user may enter, unlike that of TempDir.
func Enterable(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kinit-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
