// Package atomicfile writes files of the machine that kinit runs on, in one piece: a reader
// sees the old content or the new, never a part.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file so that readers see either the old content, if there was one, or all
// of the new. Whoever wants the content on the disk before the file gets its name syncs it in
// write.
func Write(path string, mode fs.FileMode, write func(*os.File) error) error {
	return written(path, mode, write, os.Rename)
}

// New is Write for a path without a file: if there is one in the end, it stays, and the error is
// fs.ErrExist.
func New(path string, mode fs.FileMode, write func(*os.File) error) error {
	return written(path, mode, write, os.Link)
}

// written writes a file beside the path, and gives it its name.
func written(path string, mode fs.FileMode, write func(*os.File) error, name func(from, to string) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // after a rename there is nothing to remove
	if err := errors.Join(file.Chmod(mode), write(file), file.Close()); err != nil {
		return err
	}
	return name(file.Name(), path)
}

// Bytes is the content for Write.
func Bytes(content []byte) func(*os.File) error {
	return func(file *os.File) error {
		_, err := file.Write(content)
		return err
	}
}

// Synced is the content for Write, which it puts on the disk.
func Synced(content []byte) func(*os.File) error {
	return func(file *os.File) error { return errors.Join(Bytes(content)(file), file.Sync()) }
}
