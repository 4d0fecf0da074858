package moduletest

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
)

// TestFilesKeepTheContract holds both file systems to the same sentences.
func TestFilesKeepTheContract(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(*testing.T) (module.Files, string){
		"memory": func(*testing.T) (module.Files, string) { return NewMemFiles(), "/tmp" },
		"local":  func(t *testing.T) (module.Files, string) { return LocalHost(t, "").Files(), t.TempDir() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, dir := setup(t)
			checkFiles(t, files, dir)
		})
	}
}

func checkFiles(t *testing.T, f module.Files, dir string) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	err := f.Write(ctx, dir+"/no/such", strings.NewReader("x"), module.Attr{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("write into a missing folder: %v", err)
	}
	must(f.Mkdir(ctx, dir+"/a/b", module.Attr{Mode: 0o750}))
	must(f.Write(ctx, dir+"/a/b/file", strings.NewReader("one"), module.Attr{Mode: 0o600}))
	must(f.Write(ctx, dir+"/a/b/file", strings.NewReader("two"), module.Attr{}))
	must(f.Symlink(ctx, dir+"/a/b", dir+"/link"))
	must(f.Symlink(ctx, dir+"/a/b/file", dir+"/link"))
	must(f.Rename(ctx, dir+"/a/b", dir+"/c"))
	info, err := f.Stat(ctx, dir+"/c/file")
	must(err)
	if info.Mode != 0o600 || info.Size != 3 || info.Owner == "" || info.Name != "file" {
		t.Errorf("info %+v", info)
	}
	if info, err := f.Stat(ctx, dir+"/link"); err != nil || info.Target != dir+"/a/b/file" {
		t.Errorf("link %+v, %v", info, err)
	}
	r, err := f.Open(ctx, dir+"/c/file")
	must(err)
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "two" {
		t.Errorf("content %q, %v", text, err)
	}
	must(f.Remove(ctx, dir+"/c"))
	must(f.Remove(ctx, dir+"/c"))
	if _, err := f.Stat(ctx, dir+"/c/file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of a removed file: %v", err)
	}
	infos, err := f.List(ctx, dir)
	must(err)
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	if want := []string{"a", "link"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}
