package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Lines writes each text on a line of its own.
func (a *App) Lines(texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(a.Out, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes a value as indented JSON.
func (a *App) JSON(value any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// JSONLine writes a value as a line of JSON.
func (a *App) JSONLine(value any) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// StandardOutput is the file name that means standard output.
const StandardOutput = "-"

// WriteFile writes a file atomically, so that nobody reads half of it. Like the log it is
// made from, only its owner can read it.
func (a *App) WriteFile(file string, write func(io.Writer) error) error {
	if file == StandardOutput {
		return write(a.Out)
	}
	file = a.Abs(file)
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

// ReplaceFile writes a file so that readers see either the old content or the new. It
// follows a link and keeps the mode of an existing file; a new one gets mode.
func ReplaceFile(path string, content []byte, mode fs.FileMode) error {
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
	err = errors.Join(Fill(file, content, mode), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// Fill writes the content of a new file and syncs it to disk.
func Fill(file *os.File, content []byte, mode fs.FileMode) error {
	if err := file.Chmod(mode); err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}
