package app

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"kinit/engine/atomicfile"
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
func (a *App) JSON(value any) error { return a.encode(value, "  ") }

// JSONLine writes a value as a line of JSON.
func (a *App) JSONLine(value any) error { return a.encode(value, "") }

func (a *App) encode(value any, indent string) error {
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}

// StandardOutput is the file name that means standard output.
const StandardOutput = "-"

// WriteFile writes a file atomically, so that half of it is never read. Like the log it is
// made from, only its owner can read it.
func (a *App) WriteFile(file string, write func(io.Writer) error) error {
	if file == StandardOutput {
		return write(a.Out)
	}
	return atomicfile.Write(a.Abs(file), 0o600, func(to *os.File) error { return write(to) })
}

// ReplaceFile writes a file so that readers see either the old content or the new. It
// follows a link and keeps the mode of an existing file; a new one gets mode.
func ReplaceFile(path string, content []byte, mode fs.FileMode) error {
	info, err := os.Stat(path)
	switch {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return atomicfile.Write(path, mode, atomicfile.Synced(content))
}
