package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// lines writes each text on a line of its own.
func (w *world) lines(texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(w.out, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// json writes a value as indented JSON.
func (w *world) json(value any) error {
	encoder := json.NewEncoder(w.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// standardOutput is the file name that means standard output.
const standardOutput = "-"

// writeFile writes a file atomically, so that nobody reads half of it. Like the log it is
// made from, only its owner can read it.
func (w *world) writeFile(file string, write func(io.Writer) error) error {
	if file == standardOutput {
		return write(w.out)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.cwd, file)
	}
	partial, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name()) // after the rename there is nothing to remove
	if err := cmp.Or(write(partial), partial.Close()); err != nil {
		return err
	}
	return os.Rename(partial.Name(), file)
}

// replaceFile writes a file so that readers see either the old content or the new. It
// follows a link and keeps the mode of an existing file; a new one gets mode.
func replaceFile(path string, content []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	err = errors.Join(fill(file, content, mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// fill writes the content of a new file and syncs it to disk.
func fill(file *os.File, content []byte, mode fs.FileMode) error {
	if err := file.Chmod(mode); err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
