package sshd

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FS is a machine's file system. Paths are absolute, with a drive and slashes, such
// as C:/Users; that of a drive is C:/. Names are looked up as the machine does,
// without regard to case. Errors are fs.ErrNotExist, fs.ErrExist or
// fs.ErrPermission where one of these fits. It is used by several goroutines.
type FS interface {
	// Drives are the letters of the drives, each with its colon.
	Drives() []string
	// Open opens a file, as flags of package os say: O_RDONLY, O_WRONLY or O_RDWR with
	// O_CREATE, O_TRUNC, O_EXCL.
	Open(path string, flags int) (File, error)
	// Stat describes what a path leads to, Lstat a link itself.
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
	// Readlink is what a link leads to, as the machine writes it.
	Readlink(path string) (string, error)
	List(path string) ([]fs.FileInfo, error)
	Mkdir(path string) error
	// Remove deletes a file or an empty folder.
	Remove(path string) error
	// Rename moves a file or folder. replace tells whether a file may be replaced.
	Rename(from, to string, replace bool) error
	SetSize(path string, size int64) error
	SetTime(path string, modified time.Time) error
}

// File is an open file.
type File interface {
	io.ReadWriteSeeker
	io.Closer
}

// Folder is an FS for tests with one drive, C:, that is a folder of this machine.
// Unlike Windows it minds the case of names.
type Folder string

var _ FS = Folder("")

func (f Folder) at(path string) string {
	return filepath.Join(string(f), filepath.FromSlash(strings.TrimPrefix(path, "C:")))
}

// Drives is C: alone.
func (f Folder) Drives() []string { return []string{"C:"} }

// Open opens a file.
func (f Folder) Open(path string, flags int) (File, error) {
	file, err := os.OpenFile(f.at(path), flags, 0o600)
	if err != nil {
		return nil, err // not a File that is nil inside
	}
	return file, nil
}

// Stat describes a file.
func (f Folder) Stat(path string) (fs.FileInfo, error) { return os.Stat(f.at(path)) }

// Lstat describes a file or a link.
func (f Folder) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(f.at(path)) }

// Readlink is what a link leads to.
func (f Folder) Readlink(path string) (string, error) { return os.Readlink(f.at(path)) }

// List describes what is in a folder, by name.
func (f Folder) List(path string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(f.at(path))
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// Mkdir makes a folder.
func (f Folder) Mkdir(path string) error { return os.Mkdir(f.at(path), 0o700) }

// Remove deletes a file or an empty folder.
func (f Folder) Remove(path string) error { return os.Remove(f.at(path)) }

// Rename moves a file or folder.
func (f Folder) Rename(from, to string, replace bool) error {
	if _, err := os.Lstat(f.at(to)); err == nil && !replace {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(f.at(from), f.at(to))
}

// SetSize cuts or extends a file.
func (f Folder) SetSize(path string, size int64) error { return os.Truncate(f.at(path), size) }

// SetTime sets when a file was changed.
func (f Folder) SetTime(path string, modified time.Time) error {
	return os.Chtimes(f.at(path), modified, modified)
}
