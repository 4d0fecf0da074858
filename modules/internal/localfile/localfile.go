// Package localfile reads files of the machine kinit runs on, for modules with an
// argument that names one.
package localfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"kinit/engine/module"
)

// Open opens a regular file and describes it. Nil files are those of the disk,
// relative to the working directory.
func Open(files module.LocalFiles, path string) (fs.File, fs.FileInfo, error) {
	if files == nil {
		files = disk{}
	}
	// Checked first: opening a pipe would wait for a writer.
	info, err := files.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	f, err := files.Open(path)
	return f, info, err
}

var errNotRegular = errors.New("no regular file, want one file")

type disk struct{}

func (disk) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (disk) Open(path string) (fs.File, error)     { return os.Open(path) }

// mostRead is the most bytes of a file that are read at once.
const mostRead = 32 << 20

// Read returns the content of a regular file. A file of more than 32 MiB is an error.
func Read(files module.LocalFiles, path string) ([]byte, error) {
	f, _, err := Open(files, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if len(text) > mostRead {
		return nil, fmt.Errorf("%s has more than %d MiB, which is more than is read at once", path, mostRead>>20)
	}
	return text, err
}
