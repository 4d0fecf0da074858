package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/need"
)

// TestSystemdAcceptsTheUnitOfPackages checks the unit that packages of kinit have. The program and its
// manual need not be installed on the machine of the test.
func TestSystemdAcceptsTheUnitOfPackages(t *testing.T) {
	t.Parallel()
	need.Programs(t, "systemd", "systemd-analyze")
	text, err := os.ReadFile("packaging/kinit-ci@.service")
	if err != nil {
		t.Fatal(err)
	}
	unit := strings.NewReplacer("/usr/bin/kinit", "/bin/true", "Documentation=man:kinit-ci-serve(1)\n", "").Replace(string(text))
	path := filepath.Join(t.TempDir(), "kinit-ci@jobs.service")
	if err := os.WriteFile(path, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
