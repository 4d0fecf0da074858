// Package npm finds packages of npm for tests.
package npm

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"kinit/engine/need"
)

// Package returns the folder of a package at a version that was tried, which
// test/install-npm keeps in the cache folder. What the package depends on is not there.
// root is kinit's folder, and what is the word of KINIT_REQUIRE: the test is skipped where
// the package cannot be had, and fails when it is required.
func Package(t testing.TB, root, what, name, version string) string {
	t.Helper()
	need.Programs(t, what, "npm")
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "test", "install-npm"), name, version).Output()
	if err != nil {
		why := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			why += ": " + string(exit.Stderr)
		}
		need.Missing(t, what, why)
	}
	return string(out)
}
