package posix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
)

// folders is a file system of folders that are listed in parts, of at most some entries.
type folders struct {
	FS
	entries map[string][]string // of folders
	most    int
}

func (f folders) Stat(_ context.Context, name string, _ bool) (module.FileInfo, error) {
	info := module.FileInfo{Name: path.Base(name)}
	if _, ok := f.entries[name]; ok {
		info.Mode = fs.ModeDir
	}
	return info, nil
}

func (f folders) ReadDir(ctx context.Context, name string) (infos []module.FileInfo, err error) {
	for _, entry := range f.entries[name] {
		if len(infos) == f.most {
			return infos, &fs.PathError{Op: "list", Path: name, Err: ErrTooMany}
		}
		info, _ := f.Stat(ctx, path.Join(name, entry), false)
		infos = append(infos, info)
	}
	return infos, nil
}

func (f folders) Remove(_ context.Context, name string) error {
	dir := path.Dir(name)
	f.entries[dir] = slices.DeleteFunc(f.entries[dir], func(entry string) bool { return entry == path.Base(name) })
	return nil
}

func (f folders) Rmdir(ctx context.Context, name string) error {
	if len(f.entries[name]) > 0 {
		return errors.New("the folder is not empty")
	}
	delete(f.entries, name)
	return f.Remove(ctx, name)
}

func TestFolderWithTooManyEntriesIsRemovedInParts(t *testing.T) {
	t.Parallel()
	f := folders{entries: map[string][]string{"/": {"x", "kept"}, "/x": {"1", "2", "3", "4", "5", "in"}, "/x/in": {"6", "7", "8"}}, most: 2}
	if err := New(f, nil).Remove(t.Context(), "/x"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.entries); got != "map[/:[kept]]" {
		t.Errorf("what is left: %s", got)
	}
}

// endless is a file system of which each folder has many folders.
type endless struct{ folders }

func (e endless) Stat(_ context.Context, name string, _ bool) (module.FileInfo, error) {
	return module.FileInfo{Name: path.Base(name), Mode: fs.ModeDir}, nil
}

func (e endless) ReadDir(ctx context.Context, name string) (infos []module.FileInfo, err error) {
	for range 1000 {
		infos = append(infos, module.FileInfo{Name: strings.Repeat("x", 200), Mode: fs.ModeDir})
	}
	return infos, nil
}

func TestFoldersWithoutEndAreNotRemoved(t *testing.T) {
	t.Parallel()
	err := New(endless{}, nil).Remove(t.Context(), "/x")
	if !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v", err)
	}
}
