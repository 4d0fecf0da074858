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
// of the new. It follows symbolic links, and writes into an existing device, pipe or open
// descriptor, such as /dev/null or /dev/stdout, instead of replacing it; mode is then not used. A pipe that nothing
// reads is an error. For content that must be on the disk before the file gets its name, write calls Sync.
func Write(path string, mode fs.FileMode, write func(*os.File) error) error {
	to, err := resolve(path)
	if err != nil {
		return err
	}
	if !to.regular() {
		return writeInto(to, write)
	}
	return written(to.path, mode, write, os.Rename)
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

// writeInto writes into what is not a regular file.
func writeInto(to target, write func(*os.File) error) error {
	file, err := to.open()
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
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
	return func(file *os.File) error { return errors.Join(Bytes(content)(file), Sync(file)) }
}

// Sync puts a regular file on the disk. Other files cannot be synced.
func Sync(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return file.Sync()
}
