// Package kube finds and starts the programs of Kubernetes for tests.
package kube

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kinit/engine/need"
)

// Program returns the path of one of Kubernetes' programs, such as "kubectl", or
// ends the test. It is the one installed, or comes from the folder that the variable
// KINIT_KUBERNETES_BIN names, whose file "kubernetes" is every program by the name it
// is called.
func Program(t testing.TB, program string) string {
	t.Helper()
	folder := os.Getenv("KINIT_KUBERNETES_BIN")
	if folder == "" {
		found, err := exec.LookPath(program)
		if err != nil {
			need.Missing(t, "kubernetes", "KINIT_KUBERNETES_BIN is not set and there is no "+program)
		}
		return found
	}
	link := filepath.Join(t.TempDir(), program)
	if err := os.Symlink(filepath.Join(folder, "kubernetes"), link); err != nil {
		t.Fatal(err)
	}
	return link
}
