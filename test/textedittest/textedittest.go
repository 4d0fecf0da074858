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

// Suite checks the contract of a module that edits a file, with an owner of the host and without:
// what it leaves of the file, with the file's mode, and in the backup.
func Suite(t *testing.T, before, after string, mode os.FileMode, made, absent func(path string) module.Task) {
	t.Helper()
	for _, owner := range []string{"", "demo"} {
		h := moduletest.LocalHost(t, owner)
		path := File(t, h, "f", before, mode)
		c := moduletest.Case{Host: h, New: func() module.Task { return made(path) }}
		if absent != nil {
			c.Absent = func() module.Task { return absent(path) }
		}
		moduletest.Run(t, c)
		info, err := os.Stat(path)
		if got := Read(t, path); got != after || err != nil || info.Mode() != mode {
			t.Errorf("file %q, %v, %v", got, info.Mode(), err)
		}
		if got := Read(t, path+".kinit-backup"); got != before {
			t.Errorf("backup %q", got)
		}
	}
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
