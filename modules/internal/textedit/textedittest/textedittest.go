// Package textedittest is for the tests of modules that edit a text file.
package textedittest

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// Task makes a task of the type T from its path and further arguments, as a playbook writes them.
func Task[T module.Task](t *testing.T, kind module.Kind, path string, args ...string) T {
	t.Helper()
	all := append([]string{`path = "` + path + `"`}, args...)
	return moduletest.Decode(t, kind, strings.Join(all, "\n")).(T)
}

// File writes a file in a host's folder and returns its path.
func File(t *testing.T, h *moduletest.Local, name, text string, mode os.FileMode) string {
	t.Helper()
	path := h.Path(name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read returns a file's text.
func Read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Change checks that a task makes one text of another, and that it keeps what it has made.
func Change(t *testing.T, name string, change func(text string) (string, error), text, want string) {
	t.Helper()
	got, err := change(text)
	if err != nil || got != want {
		t.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
	if again, err := change(got); err != nil || again != got {
		t.Errorf("%s, again: %q, %v, want it as it is", name, again, err)
	}
}
