package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// buildSimulator makes the program that the lab's media boot, as "make winsim" does: the
// same bytes each time, so that media are made once.
func buildSimulator(t testing.TB, k *kinit) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "winsim")
	cmd := exec.CommandContext(t.Context(), "make", "winsim", "WINSIM="+program)
	cmd.Dir = k.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, out)
	}
	return program
}
