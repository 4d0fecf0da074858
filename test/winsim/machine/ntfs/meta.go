package ntfs

import (
	"os"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/machine/winerr"
)

// Attributes are a file's attributes, numbered as System.IO.FileAttributes.
type Attributes uint32

// The attributes that the machine knows.
const (
	ReadOnly     Attributes = 0x1
	Hidden       Attributes = 0x2
	System       Attributes = 0x4
	Directory    Attributes = 0x10
	Archive      Attributes = 0x20
	Normal       Attributes = 0x80
	ReparsePoint Attributes = 0x400
)

// settable are the attributes that can be set.
const settable = ReadOnly | Hidden | System | Archive

// LinkKind is the kind of a link, as Get-Item shows it.
type LinkKind string

// The kinds.
const (
	Junction     LinkKind = "Junction"
	SymbolicLink LinkKind = "SymbolicLink"
)

// metadata is what a real file cannot hold.
type metadata struct {
	Attributes Attributes `json:"attributes,omitempty"`
	Created    time.Time  `json:"created"`
	Link       string     `json:"link,omitempty"` // where a link leads
	LinkKind   LinkKind   `json:"link_kind,omitempty"`
	Security   *Security  `json:"security,omitempty"`
}

// Info describes a file or folder.
type Info struct {
	Path       string // absolute, with the names as they are on the disk
	Name       string
	Size       int64
	Attributes Attributes
	Created    time.Time
	Modified   time.Time
	Target     string // of a link
	LinkKind   LinkKind
}

// IsDir reports whether it is a folder, or a link to one.
func (i Info) IsDir() bool { return i.Attributes&Directory != 0 }

// Stat describes a path and does not follow a link at its end.
func (f *FS) Stat(name string) (Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("stat", name, false)
	if err != nil {
		return Info{}, err
	}
	return f.info(at), nil
}

// Resolve returns the path with the names as they are on the disk, links followed.
func (f *FS) Resolve(name string) (Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("open", name, true)
	if err != nil {
		return Info{}, err
	}
	return f.info(at), nil
}

// List describes what is in a folder, by name.
func (f *FS) List(name string) ([]Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("list", name, true)
	if err != nil {
		return nil, err
	}
	if !at.info.IsDir() {
		return nil, winerr.Of(winerr.DirectoryInvalid, "list", name)
	}
	entries, err := os.ReadDir(at.real)
	if err != nil {
		return nil, err
	}
	var all []Info
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, f.info(place{path: at.below(entry.Name()), info: info}))
	}
	slices.SortFunc(all, func(a, b Info) int {
		return strings.Compare(strings.ToUpper(a.Name), strings.ToUpper(b.Name))
	})
	return all, nil
}

// info describes what is at a place; the lock is held.
func (f *FS) info(at place) Info {
	info := Info{
		Path: at.String(), Attributes: Archive,
		Modified: at.info.ModTime().UTC(), Created: at.info.ModTime().UTC(),
	}
	if len(at.names) > 0 {
		info.Name = at.names[len(at.names)-1]
	} else {
		info.Name = info.Path
	}
	if m := f.meta[at.key()]; m != nil {
		info.Attributes, info.Created = m.Attributes, m.Created.UTC()
		info.Target, info.LinkKind = m.Link, m.LinkKind
	}
	if at.info.IsDir() {
		info.Attributes |= Directory
		info.Attributes &^= Archive
	} else {
		info.Size = at.info.Size()
	}
	if info.Target != "" {
		info.Attributes |= ReparsePoint
	}
	if d := f.drives[at.drive]; d != nil && d.kind == CDRom {
		info.Attributes |= ReadOnly
	}
	if info.Attributes == 0 {
		info.Attributes = Normal
	}
	return info
}

// remember returns the metadata of a place to be changed; the lock is held.
func (f *FS) remember(at place) *metadata {
	m := f.meta[at.key()]
	if m == nil {
		m = &metadata{Created: f.now().UTC()}
		if at.exists() {
			m.Created = at.info.ModTime().UTC()
		}
		if !at.exists() || !at.info.IsDir() {
			m.Attributes = Archive
		}
		f.meta[at.key()] = m
	}
	return m
}

// forget drops the metadata of a path and of all below it; the lock is held.
func (f *FS) forget(key string) {
	for other := range f.meta {
		if other == key || strings.HasPrefix(other, key+`\`) {
			delete(f.meta, other)
		}
	}
}

// moved gives the metadata of a path and of all below it to another path.
func (f *FS) moved(from, to string) {
	all := map[string]*metadata{}
	for key, m := range f.meta {
		if key == from || strings.HasPrefix(key, from+`\`) {
			key = to + key[len(from):]
		}
		all[key] = m
	}
	f.meta = all
}

// SetAttributes sets ReadOnly, Hidden, System and Archive as they are in the value and
// leaves the others.
func (f *FS) SetAttributes(name string, attributes Attributes) error {
	return f.change("set attributes of", name, func(m *metadata, at place) error {
		m.Attributes = attributes & settable
		return nil
	})
}

// SetTimes sets the times that are not zero.
func (f *FS) SetTimes(name string, created, modified time.Time) error {
	return f.change("set times of", name, func(m *metadata, at place) error {
		if !created.IsZero() {
			m.Created = created.UTC()
		}
		if modified.IsZero() {
			return nil
		}
		return os.Chtimes(at.real, modified, modified)
	})
}

// change changes the metadata of what is there.
func (f *FS) change(op, name string, edit func(*metadata, place) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing(op, name, false)
	if err != nil {
		return err
	}
	if err := f.writable(op, at); err != nil {
		return err
	}
	if err := edit(f.remember(at), at); err != nil {
		return err
	}
	return f.save()
}
