package ntfs

import (
	"errors"
	"io"
	"os"
	"slices"

	"kinit/test/winsim/machine/winerr"
)

// Mode is what is to be done where there is a file or none, numbered as
// System.IO.FileMode.
type Mode int

// The modes.
const (
	CreateNew    Mode = 1
	Create       Mode = 2
	Existing     Mode = 3
	OpenOrCreate Mode = 4
	Truncate     Mode = 5
	Append       Mode = 6
)

// Access is what a handle may do, numbered as System.IO.FileAccess.
type Access int

// The kinds of access.
const (
	Reading   Access = 1
	Writing   Access = 2
	ReadWrite Access = 3
)

// Share is what other handles may do meanwhile, numbered as System.IO.FileShare.
type Share int

// The kinds of sharing.
const (
	ShareNone   Share = 0
	ShareRead   Share = 1
	ShareWrite  Share = 2
	ShareDelete Share = 4
	ShareAll    Share = 7
)

// File is an open handle. It is used by one goroutine at a time.
type File struct {
	fs     *FS
	at     place
	real   *os.File // nil for the handle of a running program
	access Access
	share  Share
	image  bool // a running program's
	wrote  bool
	pos    int64
	closed bool
}

// Open opens a file.
func (f *FS) Open(name string, mode Mode, access Access, share Share) (*File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if err := f.admit(at, mode, access, share); err != nil {
		return nil, err
	}
	created := !at.exists()
	real, err := os.OpenFile(at.real, flags(mode, access), 0o644)
	if err != nil {
		return nil, err
	}
	if !created && (mode == Create || mode == Truncate) && at.drive == 'C' {
		f.used -= at.info.Size()
	}
	file := &File{fs: f, at: at, real: real, access: access, share: share, wrote: created || mode == Create}
	if created {
		f.remember(at)
		err = f.save()
	}
	if mode == Append {
		file.pos, err = real.Seek(0, io.SeekEnd)
	}
	f.handles[at.key()] = append(f.handles[at.key()], file)
	return file, err
}

// admit checks whether a file may be opened so.
func (f *FS) admit(at place, mode Mode, access Access, share Share) error {
	if at.exists() && at.info.IsDir() {
		return winerr.Of(winerr.AccessDenied, "open", at.String())
	}
	switch {
	case !at.exists() && (mode == Existing || mode == Truncate):
		return winerr.Of(winerr.FileNotFound, "open", at.String())
	case at.exists() && mode == CreateNew:
		return winerr.Of(winerr.FileExists, "open", at.String())
	case access&Writing == 0 && at.exists() && mode != Create:
		return f.shared(at, access, share)
	}
	if err := f.writable("open", at); err != nil {
		return err
	}
	if m := f.meta[at.key()]; at.exists() && m != nil && m.Attributes&ReadOnly != 0 {
		return winerr.Of(winerr.AccessDenied, "open", at.String())
	}
	return f.shared(at, access, share)
}

// shared compares the wishes of a new handle with those of the open ones.
func (f *FS) shared(at place, access Access, share Share) error {
	for _, other := range f.handles[at.key()] {
		if Share(access)&^other.share != 0 || Share(other.access)&^share != 0 {
			return winerr.Of(winerr.SharingViolation, "open", at.String())
		}
	}
	return nil
}

func flags(mode Mode, access Access) int {
	bits := map[Access]int{Reading: os.O_RDONLY, Writing: os.O_WRONLY, ReadWrite: os.O_RDWR}[access]
	switch mode {
	case CreateNew:
		bits |= os.O_CREATE | os.O_EXCL
	case Create:
		bits |= os.O_CREATE | os.O_TRUNC
	case OpenOrCreate, Append:
		bits |= os.O_CREATE
	case Truncate:
		bits |= os.O_TRUNC
	}
	return bits
}

// Execute holds a file as the program of a running process: until the handle is
// closed it can be read and renamed, but not written or deleted.
func (f *FS) Execute(name string) (*File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("execute", name, true)
	if err != nil {
		return nil, err
	}
	if at.info.IsDir() {
		return nil, winerr.Of(winerr.AccessDenied, "execute", at.String())
	}
	file := &File{fs: f, at: at, access: Reading, share: ShareRead | ShareDelete, image: true}
	f.handles[at.key()] = append(f.handles[at.key()], file)
	return file, nil
}

// Path is the file's path when it was opened.
func (h *File) Path() string { return h.at.String() }

// Read reads from the handle's position.
func (h *File) Read(p []byte) (int, error) {
	if h.access&Reading == 0 || h.real == nil {
		return 0, winerr.Of(winerr.AccessDenied, "read", h.at.String())
	}
	n, err := h.real.ReadAt(p, h.pos)
	h.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Write writes at the handle's position, all of it or nothing where the disk is full.
func (h *File) Write(p []byte) (int, error) {
	if h.access&Writing == 0 || h.real == nil {
		return 0, winerr.Of(winerr.AccessDenied, "write", h.at.String())
	}
	if err := h.grow(h.pos + int64(len(p))); err != nil {
		return 0, err
	}
	n, err := h.real.WriteAt(p, h.pos)
	h.pos += int64(n)
	h.wrote = true
	return n, err
}

// grow takes room on the disk for a file of at least that size.
func (h *File) grow(size int64) error {
	info, err := h.real.Stat()
	if err != nil {
		return err
	}
	more := size - info.Size()
	if more <= 0 {
		return nil
	}
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	if h.fs.capacity > 0 && h.fs.used+more > h.fs.capacity {
		return winerr.Of(winerr.DiskFull, "write", h.at.String())
	}
	h.fs.used += more
	return nil
}

// Seek sets the position.
func (h *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += h.pos
	case io.SeekEnd:
		size, err := h.Size()
		if err != nil {
			return h.pos, err
		}
		offset += size
	}
	if offset < 0 {
		return h.pos, winerr.Of(winerr.InvalidParameter, "seek in", h.at.String())
	}
	h.pos = offset
	return offset, nil
}

// Size is the file's length in bytes.
func (h *File) Size() (int64, error) {
	info, err := h.real.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// SetSize cuts the file or fills it with zeros.
func (h *File) SetSize(size int64) error {
	if h.access&Writing == 0 {
		return winerr.Of(winerr.AccessDenied, "write", h.at.String())
	}
	old, err := h.Size()
	if err != nil {
		return err
	}
	if err := h.grow(size); err != nil {
		return err
	}
	if size < old {
		h.fs.mu.Lock()
		h.fs.used -= old - size
		h.fs.mu.Unlock()
	}
	h.wrote = true
	return h.real.Truncate(size)
}

// Close ends the handle. What was written gets the time of the machine's clock.
func (h *File) Close() error {
	if h.closed {
		return nil
	}
	h.closed = true
	h.fs.mu.Lock()
	defer h.fs.mu.Unlock()
	key := h.at.key()
	h.fs.handles[key] = slices.DeleteFunc(h.fs.handles[key], func(other *File) bool { return other == h })
	if len(h.fs.handles[key]) == 0 {
		delete(h.fs.handles, key)
	}
	if h.real == nil {
		return nil
	}
	err := h.real.Close()
	if h.wrote {
		now := h.fs.now()
		err = errors.Join(err, os.Chtimes(h.at.real, now, now))
	}
	return err
}
