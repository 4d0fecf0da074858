package inventory

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"
)

// archives calls test with each archive of a folder of testdata.
func archives(t *testing.T, folder string, test func(t *testing.T, file string, a *txtar.Archive)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(strings.ReplaceAll(name, "_", " "), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			test(t, file, a)
		})
	}
}

// unpack writes files to a new folder. Scripts become executable, unless their name
// says otherwise. No process may be forked meanwhile: a child that has a script open for
// writing, before it becomes another program, would make it busy.
func unpack(t *testing.T, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		mode := os.FileMode(0o644)
		if bytes.HasPrefix(f.Data, []byte("#!")) && !strings.HasSuffix(f.Name, ".noexec") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// content is a file of an archive.
func content(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}
