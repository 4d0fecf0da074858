package endpoint

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/sshd"
)

// files is the machine's file system for SFTP.
type files struct{ m *machine.Machine }

var _ sshd.FS = files{}

// plain is an error as Go's own packages have it, where there is one. What is in use is
// to SFTP like what is forbidden.
func plain(op, path string, err error) error {
	if errors.Is(err, winerr.SharingViolation) {
		err = fs.ErrPermission
	}
	return winerr.Plain(op, path, err)
}

// Drives are the letters of the drives.
func (f files) Drives() []string {
	var all []string
	for _, d := range f.m.Files.Drives() {
		all = append(all, d.Letter+":")
	}
	return all
}

// Open opens a file as flags of package os say.
func (f files) Open(path string, flags int) (sshd.File, error) {
	mode, access := ntfs.Existing, ntfs.Reading
	switch flags & (os.O_WRONLY | os.O_RDWR) {
	case os.O_WRONLY:
		access = ntfs.Writing
	case os.O_RDWR:
		access = ntfs.ReadWrite
	}
	switch {
	case flags&os.O_EXCL != 0:
		mode = ntfs.CreateNew
	case flags&os.O_CREATE != 0 && flags&os.O_TRUNC != 0:
		mode = ntfs.Create
	case flags&os.O_CREATE != 0:
		mode = ntfs.OpenOrCreate
	case flags&os.O_TRUNC != 0:
		mode = ntfs.Truncate
	}
	file, err := f.m.Files.Open(path, mode, access, ntfs.ShareAll)
	if err != nil {
		return nil, plain("open", path, err)
	}
	return file, nil
}

// fileInfo is a file as package io/fs describes it.
type fileInfo struct{ ntfs.Info }

// Name is the last part of the path.
func (i fileInfo) Name() string { return i.Info.Name }

// Size is the length in bytes.
func (i fileInfo) Size() int64 { return i.Info.Size }

// Mode is the type, and whether the file is read-only.
func (i fileInfo) Mode() fs.FileMode {
	switch {
	case i.Target != "":
		return fs.ModeSymlink | 0o777
	case i.IsDir():
		return fs.ModeDir | 0o777
	case i.Attributes&ntfs.ReadOnly != 0:
		return 0o444
	}
	return 0o666
}

// ModTime is when it was written last.
func (i fileInfo) ModTime() time.Time { return i.Modified }

// Sys is the description as the machine has it.
func (i fileInfo) Sys() any { return i.Info }

// Stat describes what a path leads to.
func (f files) Stat(path string) (fs.FileInfo, error) { return f.describe(path, f.m.Files.Resolve) }

// Lstat describes a file or a link.
func (f files) Lstat(path string) (fs.FileInfo, error) { return f.describe(path, f.m.Files.Stat) }

func (f files) describe(path string, ask func(string) (ntfs.Info, error)) (fs.FileInfo, error) {
	i, err := ask(path)
	if err != nil {
		return nil, plain("stat", path, err)
	}
	return fileInfo{i}, nil
}

// Readlink is what a link leads to.
func (f files) Readlink(path string) (string, error) {
	i, err := f.m.Files.Stat(path)
	if err != nil {
		return "", plain("readlink", path, err)
	}
	return i.Target, nil
}

// List describes what is in a folder.
func (f files) List(path string) ([]fs.FileInfo, error) {
	all, err := f.m.Files.List(path)
	if err != nil {
		return nil, plain("list", path, err)
	}
	var infos []fs.FileInfo
	for _, i := range all {
		infos = append(infos, fileInfo{i})
	}
	return infos, nil
}

// Mkdir makes a folder, whose parent must be there.
func (f files) Mkdir(path string) error {
	if _, err := f.m.Files.Stat(path); err == nil {
		return plain("mkdir", path, winerr.AlreadyExists)
	}
	if _, err := f.m.Files.Resolve(path[:max(3, strings.LastIndexAny(path, `/\`))]); err != nil {
		return plain("mkdir", path, err)
	}
	return plain("mkdir", path, f.m.Files.Mkdir(path))
}

// Remove deletes a file or an empty folder.
func (f files) Remove(path string) error { return plain("remove", path, f.m.Files.Remove(path, false)) }

// Rename moves a file or folder.
func (f files) Rename(from, to string, replace bool) error {
	return plain("rename", from, f.m.Files.Rename(from, to, replace))
}

// SetSize cuts a file or fills it with zeros.
func (f files) SetSize(path string, size int64) error {
	file, err := f.m.Files.Open(path, ntfs.Existing, ntfs.Writing, ntfs.ShareAll)
	if err != nil {
		return plain("truncate", path, err)
	}
	return plain("truncate", path, errors.Join(file.SetSize(size), file.Close()))
}

// SetTime sets when a file was written last.
func (f files) SetTime(path string, modified time.Time) error {
	return plain("chtimes", path, f.m.Files.SetTimes(path, time.Time{}, modified))
}
