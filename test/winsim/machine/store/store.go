// Package store keeps what the simulated machine must remember over restarts of its
// process: one JSON file a part of the machine.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// File is the file of one part. Its methods are not safe for concurrent use: the
// part that owns it holds its own lock.
type File struct {
	path string
}

// In returns the file of that name in a state folder, which must exist.
func In(folder, name string) File {
	return File{path: filepath.Join(folder, name+".json")}
}

// Load decodes the file into a part's state and tells whether there was one.
func (f File) Load(state any) (bool, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(text, state); err != nil {
		return false, fmt.Errorf("read %s: %w", f.path, err)
	}
	return true, nil
}

// Save replaces the file in one go, so that a process that dies leaves the old state
// or the new one.
func (f File) Save(state any) error {
	text, err := json.MarshalIndent(state, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	temp, err := os.CreateTemp(filepath.Dir(f.path), ".state-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), f.path)
}

// List copies a list of a part's state under the part's lock.
func List[T any](lock sync.Locker, list *[]T) []T {
	lock.Lock()
	defer lock.Unlock()
	return slices.Clone(*list)
}
