// Package kube finds and starts the programs of Kubernetes for tests.
package kube

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kinit/engine/need"
)

// Program returns the path of one of Kubernetes' programs, such as "kubectl", or
// ends the test. It is the one installed, or comes from the folder that the variable
// KINIT_KUBERNETES_BIN names.
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
	into := t.TempDir()
	Link(t, folder, into, program)
	return filepath.Join(into, program)
}

// Link makes links to programs of Kubernetes in a folder. Where they come from, each is a file of
// its own, or the file "kubernetes" is every program by the name it is called.
func Link(t testing.TB, from, into string, programs ...string) {
	t.Helper()
	for _, program := range programs {
		file := filepath.Join(from, program)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			file = filepath.Join(from, "kubernetes")
		}
		if err := os.Symlink(file, filepath.Join(into, program)); err != nil {
			t.Fatal(err)
		}
	}
}
