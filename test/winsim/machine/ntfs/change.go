package ntfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kinit/test/winsim/machine/winerr"
)

// Mkdir makes a folder and its missing parents. One that is there is no error.
func (f *FS) Mkdir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := parse(name)
	if err != nil {
		return named(err, "make folder", name)
	}
	for n := range len(p.names) {
		if err := f.mkdir(path{drive: p.drive, names: p.names[:n+1]}.String()); err != nil {
			return err
		}
	}
	if _, err := f.existing("make folder", name, true); err != nil {
		return err
	}
	return f.save()
}

// mkdir makes one folder; the lock is held.
func (f *FS) mkdir(name string) error {
	at, err := f.find("make folder", name, true)
	if err != nil {
		return err
	}
	if at.exists() {
		if !at.info.IsDir() {
			return winerr.Of(winerr.AlreadyExists, "make folder", name)
		}
		return nil
	}
	if err := f.writable("make folder", at); err != nil {
		return err
	}
	f.remember(at).Attributes = 0
	return os.Mkdir(at.real, 0o755)
}

// Link makes a link to a target. The kind of file the target is decides, for a
// symbolic link, whether the link counts as a folder.
func (f *FS) Link(name, target string, kind LinkKind) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.find("link", name, false)
	if err != nil {
		return err
	}
	if at.exists() {
		return winerr.Of(winerr.AlreadyExists, "link", name)
	}
	if err := f.writable("link", at); err != nil {
		return err
	}
	leads, err := f.find("link", Join(at.parent().String(), target), true)
	if folder := kind == Junction || err == nil && leads.exists() && leads.info.IsDir(); folder {
		err = os.Mkdir(at.real, 0o755)
	} else {
		err = os.WriteFile(at.real, nil, 0o644)
	}
	if err != nil {
		return err
	}
	m := f.remember(at)
	m.Link, m.LinkKind = strings.ReplaceAll(target, "/", `\`), kind
	return f.save()
}

// Remove deletes a file, a link, or an empty folder. One that is marked read-only is
// deleted only with force.
func (f *FS) Remove(name string, force bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, err := f.existing("delete", name, false)
	if err != nil {
		return err
	}
	if err := f.remove(at, force); err != nil {
		return err
	}
	return f.save()
}

// RemoveAll deletes a path and all in it, without following links. What cannot be
// deleted stays, and is the error.
func (f *FS) RemoveAll(name string, force bool) error {
	info, err := f.Stat(name)
	if err != nil {
		return err
	}
	var failed []error
	if info.IsDir() && info.Target == "" {
		entries, err := f.List(name)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			failed = append(failed, f.RemoveAll(entry.Path, force))
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return f.Remove(name, force)
}

// remove deletes one entry; the lock is held.
func (f *FS) remove(at place, force bool) error {
	if err := f.writable("delete", at); err != nil {
		return err
	}
	if len(at.names) == 0 {
		return winerr.Of(winerr.AccessDenied, "delete", at.String())
	}
	if m := f.meta[at.key()]; m != nil && m.Attributes&ReadOnly != 0 && !force {
		return winerr.Of(winerr.AccessDenied, "delete", at.String())
	}
	if err := f.deletable("delete", at); err != nil {
		return err
	}
	if at.info.IsDir() {
		entries, err := os.ReadDir(at.real)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return winerr.Of(winerr.DirNotEmpty, "delete", at.String())
		}
	}
	if err := os.Remove(at.real); err != nil {
		return err
	}
	if at.info.Mode().IsRegular() {
		f.used -= at.info.Size()
	}
	f.forget(at.key())
	return nil
}

// deletable refuses what a handle holds that does not share deletion; the program of
// a running process is never deleted.
func (f *FS) deletable(op string, at place) error {
	for _, other := range f.handles[at.key()] {
		if other.image {
			return winerr.Of(winerr.AccessDenied, op, at.String())
		}
		if other.share&ShareDelete == 0 {
			return winerr.Of(winerr.SharingViolation, op, at.String())
		}
	}
	return nil
}

// Rename moves a file or folder within a drive. A file that is there already is
// replaced only when replace says so.
func (f *FS) Rename(from, to string, replace bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	source, err := f.existing("move", from, false)
	if err != nil {
		return err
	}
	target, err := f.find("move", to, false)
	if err != nil {
		return err
	}
	if err := f.movable(source); err != nil {
		return err
	}
	if err := f.writable("move", target); err != nil {
		return err
	}
	same := source.key() == target.key()
	if target.exists() && !same {
		if !replace || target.info.IsDir() || source.info.IsDir() {
			return winerr.Of(winerr.AlreadyExists, "move", to)
		}
		if err := f.remove(target, false); err != nil {
			return err
		}
	}
	asked, err := parse(to)
	if err != nil || len(asked.names) == 0 {
		return winerr.Of(winerr.AccessDenied, "move", to)
	}
	// The name is written as it was asked for, even where only its case differs.
	last := asked.names[len(asked.names)-1]
	target.path = target.parent().below(last)
	target.real = filepath.Join(filepath.Dir(target.real), last)
	return f.rename(source, target)
}

// rename moves what may be moved; the lock is held.
func (f *FS) rename(source, target place) error {
	if err := os.Rename(source.real, target.real); err != nil {
		return err
	}
	f.remember(source)
	f.moved(source.key(), target.key())
	for _, handle := range f.handles[source.key()] {
		handle.at.path, handle.at.real = target.path, target.real
	}
	if held := f.handles[source.key()]; len(held) > 0 && source.key() != target.key() {
		f.handles[target.key()] = held
		delete(f.handles, source.key())
	}
	return f.save()
}

// Replace puts a file in the place of another, which lends it its access list, its
// attributes and the time of its making, as ReplaceFile does.
func (f *FS) Replace(from, to string) error {
	old, err := f.Stat(to)
	if err != nil {
		return err
	}
	f.mu.Lock()
	kept := f.meta[path{drive: old.Path[0], names: strings.Split(old.Path[3:], `\`)}.key()]
	f.mu.Unlock()
	if err := f.Rename(from, to, true); err != nil {
		return err
	}
	return f.change("replace", to, func(m *metadata, _ place) error {
		if kept != nil {
			m.Security, m.Attributes, m.Created = kept.Security, kept.Attributes, kept.Created
		}
		return nil
	})
}

// movable refuses what is open without sharing deletion, and a folder in which
// anything is open. A running program may be renamed.
func (f *FS) movable(at place) error {
	if err := f.writable("move", at); err != nil {
		return err
	}
	for _, other := range f.handles[at.key()] {
		if other.share&ShareDelete == 0 {
			return winerr.Of(winerr.SharingViolation, "move", at.String())
		}
	}
	for key := range f.handles {
		if strings.HasPrefix(key, at.key()+`\`) {
			return winerr.Of(winerr.AccessDenied, "move", at.String())
		}
	}
	return nil
}

// ReadFile returns all of a file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	at, err := f.Resolve(name)
	if err != nil {
		return nil, err
	}
	file, err := f.Open(at.Path, Existing, Reading, ShareAll)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// WriteFile replaces a file's content.
func (f *FS) WriteFile(name string, content []byte) error {
	file, err := f.Open(name, Create, Writing, ShareRead)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
