package nodetest

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/sshd"
)

// files is the machine's disk as its SFTP server sees it.
type files struct{ disk *ntfs.FS }

var _ sshd.FS = files{}

// Drives are the letters with their colons.
func (f files) Drives() []string {
	var all []string
	for _, d := range f.disk.Drives() {
		all = append(all, d.Letter+":")
	}
	return all
}

// Open opens a file, as flags of package os say.
func (f files) Open(path string, flags int) (sshd.File, error) {
	mode, access := ntfs.Existing, ntfs.Reading
	switch {
	case flags&os.O_CREATE != 0 && flags&os.O_EXCL != 0:
		mode = ntfs.CreateNew
	case flags&os.O_CREATE != 0 && flags&os.O_TRUNC != 0:
		mode = ntfs.Create
	case flags&os.O_CREATE != 0:
		mode = ntfs.OpenOrCreate
	case flags&os.O_TRUNC != 0:
		mode = ntfs.Truncate
	}
	if flags&os.O_WRONLY != 0 {
		access = ntfs.Writing
	}
	if flags&os.O_RDWR != 0 {
		access = ntfs.ReadWrite
	}
	file, err := f.disk.Open(path, mode, access, ntfs.ShareAll)
	if err != nil {
		return nil, kind(err)
	}
	return file, nil
}

// Stat describes what a path leads to.
func (f files) Stat(path string) (fs.FileInfo, error) {
	info, err := f.disk.Resolve(path)
	return described{info}, kind(err)
}

// List describes what is in a folder.
func (f files) List(path string) ([]fs.FileInfo, error) {
	infos, err := f.disk.List(path)
	all := make([]fs.FileInfo, len(infos))
	for i, info := range infos {
		all[i] = described{info}
	}
	return all, kind(err)
}

// Mkdir makes a folder.
func (f files) Mkdir(path string) error { return kind(f.disk.Mkdir(path)) }

// Remove deletes a file or an empty folder.
func (f files) Remove(path string) error { return kind(f.disk.Remove(path, false)) }

// Rename moves a file or folder.
func (f files) Rename(from, to string, replace bool) error {
	return kind(f.disk.Rename(from, to, replace))
}

// SetSize cuts a file or fills it with zeros.
func (f files) SetSize(path string, size int64) error {
	file, err := f.disk.Open(path, ntfs.Existing, ntfs.Writing, ntfs.ShareAll)
	if err != nil {
		return kind(err)
	}
	return errors.Join(file.SetSize(size), file.Close())
}

// SetTime sets when a file was changed.
func (f files) SetTime(path string, modified time.Time) error {
	info, err := f.disk.Resolve(path)
	if err != nil {
		return kind(err)
	}
	return kind(f.disk.SetTimes(path, info.Created, modified))
}

// kind gives an error of Windows the kind that the server looks at.
func kind(err error) error {
	switch {
	case errors.Is(err, winerr.FileNotFound), errors.Is(err, winerr.PathNotFound):
		return errors.Join(fs.ErrNotExist, err)
	case errors.Is(err, winerr.AccessDenied):
		return errors.Join(fs.ErrPermission, err)
	case errors.Is(err, winerr.AlreadyExists), errors.Is(err, winerr.FileExists):
		return errors.Join(fs.ErrExist, err)
	}
	return err
}

// described is an fs.FileInfo.
type described struct{ ntfs.Info }

func (d described) Name() string       { return d.Info.Name }
func (d described) Size() int64        { return d.Info.Size }
func (d described) ModTime() time.Time { return d.Modified }
func (d described) Sys() any           { return nil }

// Mode has the bits that the server for Windows makes of attributes.
func (d described) Mode() fs.FileMode {
	switch {
	case d.Info.IsDir():
		return fs.ModeDir | 0o777
	case d.Attributes&ntfs.ReadOnly != 0:
		return 0o444
	}
	return 0o666
}
