// Package ntfs is the file system of the simulated machine: the rules of NTFS and
// Win32 over folders of the real one.
//
// It owns what a path means (drives, both slashes, case, forbidden names, links),
// attributes, owners and access lists, sharing between open handles, and how much
// fits on the disk. It does not own errors as PowerShell shows them: its errors are
// winerr.Error with the code that Win32 gives.
package ntfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/machine/store"
	"kinit/test/winsim/machine/winerr"
)

// maxLinks is how many links a path may lead through, as in Windows.
const maxLinks = 31

// DriveType is what kind of device is behind a letter, as System.IO.DriveType numbers it.
type DriveType int

// The kinds.
const (
	Fixed DriveType = 3
	CDRom DriveType = 5
)

// Drive describes a drive.
type Drive struct {
	Letter string // such as "C"
	Label  string
	Type   DriveType
	Size   int64 // bytes
	Free   int64 // bytes
}

// FS is the drives of one machine. Its methods are safe for concurrent use.
type FS struct {
	now   func() time.Time
	store store.File

	mu       sync.Mutex
	drives   map[byte]*drive
	meta     map[string]*metadata // by the key of the path
	handles  map[string][]*File   // open files, by the key of the path
	capacity int64                // of C:, 0 for no limit
	used     int64                // of C:
	batched  bool
}

// Batch runs a function and keeps what real files cannot hold of all its changes in one
// go.
func (f *FS) Batch(change func() error) error {
	f.mu.Lock()
	f.batched = true
	f.mu.Unlock()
	err := change()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batched = false
	return errors.Join(err, f.save())
}

// save keeps what real files cannot hold; the lock is held.
func (f *FS) save() error {
	if f.batched {
		return nil
	}
	return f.store.Save(f.meta)
}

type drive struct {
	root, label string
	kind        DriveType
}

// Open returns the file system whose drive C: is the folder root. What real files
// cannot hold is kept in file. now is the machine's clock.
func Open(root string, file store.File, now func() time.Time) (*FS, error) {
	f := &FS{
		now: now, store: file,
		drives:  map[byte]*drive{'C': {root: root, kind: Fixed}},
		meta:    map[string]*metadata{},
		handles: map[string][]*File{},
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	if _, err := file.Load(&f.meta); err != nil {
		return nil, err
	}
	used, err := sizeOf(root)
	f.used = used
	return f, err
}

func sizeOf(folder string) (int64, error) {
	var total int64
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

// Insert puts a CD, whose content is a real folder, into a drive.
func (f *FS) Insert(letter, folder, label string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drives[letter[0]&^0x20] = &drive{root: folder, label: label, kind: CDRom}
}

// Eject takes a CD out.
func (f *FS) Eject(letter string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.drives[letter[0]&^0x20]; d != nil && d.kind == CDRom {
		delete(f.drives, letter[0]&^0x20)
	}
}

// Limit sets how many bytes fit on C:, all files together. 0 is no limit.
func (f *FS) Limit(capacity int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.capacity = capacity
}

// defaultCapacity is what a disk without a limit says it holds: 60 GB.
const defaultCapacity = 60_000_000_000

// Drives lists the drives by letter.
func (f *FS) Drives() []Drive {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Drive
	for letter := byte('A'); letter <= 'Z'; letter++ {
		d := f.drives[letter]
		if d == nil {
			continue
		}
		entry := Drive{Letter: string(letter), Label: d.label, Type: d.kind}
		if d.kind == Fixed {
			entry.Size = defaultCapacity
			if f.capacity > 0 {
				entry.Size = f.capacity
			}
			entry.Free = max(0, entry.Size-f.used)
		} else if size, err := sizeOf(d.root); err == nil {
			entry.Size = size
		}
		all = append(all, entry)
	}
	return all
}

// place is where a path leads.
type place struct {
	path             // with the names as they are on the disk
	real string      // in the real file system
	info os.FileInfo // nil where there is nothing
}

func (p place) exists() bool { return p.info != nil }

// find walks a path; the lock is held. Only the last name may be missing. The last
// name is followed where it is a link and follow says so.
func (f *FS) find(op, name string, follow bool) (place, error) {
	asked, err := parse(name)
	if err != nil {
		return place{}, named(err, op, name)
	}
	for range maxLinks {
		at, target, err := f.walk(asked, follow)
		if err != nil {
			return place{}, named(err, op, name)
		}
		if target == nil {
			return at, nil
		}
		asked = *target
	}
	return place{}, winerr.Of(winerr.CantAccessFile, op, name)
}

// named gives an error the operation and the name that was asked for.
func named(err error, op, name string) error {
	if known, ok := errors.AsType[*winerr.Error](err); ok {
		return winerr.Of(known.Code, op, name)
	}
	return err
}

// existing is find for what must be there.
func (f *FS) existing(op, name string, follow bool) (place, error) {
	at, err := f.find(op, name, follow)
	if err == nil && !at.exists() {
		err = winerr.Of(winerr.FileNotFound, op, name)
	}
	return at, err
}

// walk goes along a path until its end, or returns the path to go on with when there
// is a link on the way.
func (f *FS) walk(asked path, follow bool) (place, *path, error) {
	d := f.drives[asked.drive]
	if d == nil {
		return place{}, nil, winerr.Of(winerr.PathNotFound, "open", asked.String())
	}
	info, err := os.Stat(d.root)
	if err != nil {
		return place{}, nil, err
	}
	at := place{path: path{drive: asked.drive}, real: d.root, info: info}
	for i, name := range asked.names {
		if !at.exists() || !at.info.IsDir() {
			return place{}, nil, winerr.Of(winerr.PathNotFound, "open", asked.String())
		}
		if at, err = at.child(name); err != nil {
			return place{}, nil, err
		}
		last := i == len(asked.names)-1
		if link := f.linkAt(at); link != "" && (follow || !last) {
			target, err := parse(Join(at.parent().String(), link))
			target.names = append(target.names, asked.names[i+1:]...)
			return at, &target, err
		}
	}
	return at, nil, nil
}

func (f *FS) linkAt(at place) string {
	if m := f.meta[at.key()]; m != nil && at.exists() {
		return m.Link
	}
	return ""
}

// child looks a name up in a folder without regard to case.
func (p place) child(name string) (place, error) {
	entry := place{path: p.below(name), real: filepath.Join(p.real, name)}
	info, err := os.Lstat(entry.real)
	if err == nil {
		entry.info = info
		return entry, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return place{}, err
	}
	all, err := os.ReadDir(p.real)
	if err != nil {
		return place{}, err
	}
	for _, other := range all {
		if !strings.EqualFold(other.Name(), name) {
			continue
		}
		entry = place{path: p.below(other.Name()), real: filepath.Join(p.real, other.Name())}
		entry.info, err = other.Info()
		return entry, err
	}
	return entry, nil
}

// writable refuses changes of a CD.
func (f *FS) writable(op string, at place) error {
	if d := f.drives[at.drive]; d == nil || d.kind == CDRom {
		return winerr.Of(winerr.WriteProtect, op, at.String())
	}
	return nil
}
