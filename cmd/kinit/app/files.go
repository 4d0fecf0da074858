package app

import (
	"encoding/json"
	"errors"
	"fmt"
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

// Format is a kind of files that kinit writes.
type Format struct {
	Name  string // in messages, with its article
	Start string // the beginning of every such file; "" if they have none in common
}

// ErrForeign means that a file exists that kinit does not replace.
var ErrForeign = errors.New("foreign file")

// Replaceable returns ErrForeign for a file that is not empty and not of the format.
func (f Format) Replaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	switch {
	case f.Starts(file):
		return nil
	case f.Start == "":
		return &foreign{path + " exists and kinit does not replace it"}
	}
	return &foreign{path + " exists and is not " + f.Name}
}

// foreign is an ErrForeign.
type foreign struct{ text string }

func (f *foreign) Error() string        { return f.text }
func (f *foreign) Is(target error) bool { return target == ErrForeign }

// Starts reads the beginning of a file of the format, and reports whether it was one.
func (f Format) Starts(file io.Reader) bool {
	start := make([]byte, len(f.Start))
	_, err := io.ReadFull(file, start)
	return err == nil && f.Start != "" && string(start) == f.Start
}

// WriteFile writes a file atomically, so that half of it is never read. Like the log it is
// made from, only its owner can read it. It replaces only files of the format and empty ones.
func (a *App) WriteFile(file string, format Format, write func(io.Writer) error) error {
	if file == StandardOutput {
		return write(a.Out)
	}
	if err := format.Replaceable(a.Abs(file)); errors.Is(err, ErrForeign) {
		return fmt.Errorf("%w: remove it, or name another file", err)
	} else if err != nil {
		return err
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
