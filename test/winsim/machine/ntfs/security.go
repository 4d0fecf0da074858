package ntfs

import "slices"

// Rights of access lists, numbered as System.Security.AccessControl.FileSystemRights.
const (
	FullControl    uint32 = 0x1f01ff
	Modify         uint32 = 0x1301bf
	ReadAndExecute uint32 = 0x1200a9
	Read           uint32 = 0x120089
	Write          uint32 = 0x100116
)

// Entry is one entry of an access list.
type Entry struct {
	SID       string `json:"sid"`
	Rights    uint32 `json:"rights"`
	Deny      bool   `json:"deny,omitempty"`
	Files     bool   `json:"files,omitempty"`   // files below inherit it
	Folders   bool   `json:"folders,omitempty"` // folders below inherit it
	Inherited bool   `json:"-"`                 // it comes from a folder above
}

// Security is who owns a file and who may do what with it.
type Security struct {
	Owner     string  `json:"owner,omitempty"`     // a SID
	Protected bool    `json:"protected,omitempty"` // nothing is inherited
	Entries   []Entry `json:"entries,omitempty"`
}

// administrators owns what an administrator makes (well-known SID).
const administrators = "S-1-5-32-544"

// rootSecurity is the access list of a freshly formatted system drive's root.
func rootSecurity() Security {
	return Security{Owner: "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", Entries: []Entry{
		{SID: "S-1-5-18", Rights: FullControl, Files: true, Folders: true},
		{SID: administrators, Rights: FullControl, Files: true, Folders: true},
		{SID: "S-1-5-32-545", Rights: ReadAndExecute, Files: true, Folders: true},
	}}
}

// Security returns the owner and the access list, with what is inherited after the
// file's own entries.
func (f *FS) Security(name string) (Security, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("read the access list of", name, false)
	if err != nil {
		return Security{}, err
	}
	own := f.ownSecurity(at.path)
	if own.Protected {
		return own, nil
	}
	own.Entries = append(own.Entries, f.inherited(at.path, at.info.IsDir())...)
	return own, nil
}

// ownSecurity is what is set on the path itself; the lock is held.
func (f *FS) ownSecurity(p path) Security {
	if m := f.meta[p.key()]; m != nil && m.Security != nil {
		own := *m.Security
		own.Entries = slices.Clone(own.Entries)
		return own
	}
	if len(p.names) == 0 {
		return rootSecurity()
	}
	return Security{Owner: administrators}
}

// inherited is what comes to a path from the folders above it.
func (f *FS) inherited(p path, folder bool) []Entry {
	var entries []Entry
	for len(p.names) > 0 {
		p = p.parent()
		above := f.ownSecurity(p)
		for _, e := range above.Entries {
			if folder && e.Folders || !folder && e.Files {
				e.Inherited = true
				entries = append(entries, e)
			}
		}
		if above.Protected {
			break
		}
	}
	return entries
}

// SetSecurity sets the owner, where there is one, and the path's own entries.
// Inherited entries in the list are left out.
func (f *FS) SetSecurity(name string, s Security) error {
	return f.change("set the access list of", name, func(m *metadata, at place) error {
		if s.Owner == "" {
			s.Owner = f.ownSecurity(at.path).Owner
		}
		s.Entries = slices.DeleteFunc(slices.Clone(s.Entries), func(e Entry) bool { return e.Inherited })
		m.Security = &s
		return nil
	})
}
