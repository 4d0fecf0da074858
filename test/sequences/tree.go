package sequences

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// tops are the folders and files in which a sequence can change something.
var tops = []string{
	"/srv", "/var/lib/kinit", "/etc/cron.d", "/etc/systemd/system", "/etc/hosts", "/etc/shared.conf",
	"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/home", "/run/units",
}

// entry is a file, folder or anything else with a path.
type entry struct {
	path    string // on the host
	stat    unix.Stat_t
	content string // of a file, or where a link leads
	xattrs  map[string]string
}

// entries reads everything below tops.
func (h *Host) entries() ([]entry, error) {
	var all []entry
	for _, top := range tops {
		err := filepath.WalkDir(h.Root+top, func(path string, d fs.DirEntry, err error) error {
			if err == nil {
				var e entry
				if e, err = readEntry(path, strings.TrimPrefix(path, h.Root)); err == nil {
					all = append(all, e)
				}
			}
			if os.IsNotExist(err) { // it has gone meanwhile
				return nil
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", top, h.Name, err)
		}
	}
	return all, nil
}

func readEntry(path, name string) (e entry, err error) {
	e.path = name
	if err = unix.Lstat(path, &e.stat); err != nil {
		return e, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	switch e.kind() {
	case unix.S_IFREG:
		var text []byte
		text, err = os.ReadFile(path)
		e.content = string(text)
	case unix.S_IFLNK:
		e.content, err = os.Readlink(path)
	}
	if err != nil {
		return e, err
	}
	e.xattrs, err = xattrs(path)
	return e, err
}

func (e entry) kind() uint32 { return e.stat.Mode & unix.S_IFMT }

func xattrs(path string) (map[string]string, error) {
	names := make([]byte, 1024)
	n, err := unix.Llistxattr(path, names)
	if err != nil || n == 0 {
		return nil, nil // the file system has none
	}
	all := map[string]string{}
	for name := range bytes.SplitSeq(bytes.TrimRight(names[:n], "\x00"), []byte{0}) {
		value := make([]byte, 1024)
		n, err := unix.Lgetxattr(path, string(name), value)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", name, path, err)
		}
		all[string(name)] = string(value[:n])
	}
	return all, nil
}

// differs says in which way an object is another one now, or "".
func (e entry) differs(now entry) string {
	a, b := e.stat, now.stat
	switch {
	case a.Mode != b.Mode:
		return fmt.Sprintf("mode %o is %o now", a.Mode, b.Mode)
	case a.Uid != b.Uid || a.Gid != b.Gid:
		return fmt.Sprintf("owner %d:%d is %d:%d now", a.Uid, a.Gid, b.Uid, b.Gid)
	case e.content != now.content:
		return fmt.Sprintf("content %q is %q now", e.content, now.content)
	case !maps.Equal(e.xattrs, now.xattrs):
		return fmt.Sprintf("extended attributes %q are %q now", e.xattrs, now.xattrs)
	case a.Ino != b.Ino:
		return "it is another inode now"
	case e.kind() == unix.S_IFREG && (a.Mtim != b.Mtim || a.Nlink != b.Nlink):
		return "its time or its number of links has changed"
	}
	return ""
}

// Keep remembers what the host has now: what Reset restores.
func (h *Host) Keep() error {
	all, err := h.entries()
	h.base, h.first = all, slices.Clone(all)
	return err
}

// Reset makes the host as it was at Keep, but for inodes.
func (h *Host) Reset() error {
	h.Drain()
	h.Start()
	now, err := h.entries()
	if err != nil {
		return err
	}
	was := byPath(h.base)
	there := map[string]entry{}
	for _, e := range slices.Backward(now) { // what is in a folder before the folder
		old, wanted := was[e.path]
		if wanted && old.kind() == e.kind() && (e.kind() == unix.S_IFDIR || old.differs(e) == "") {
			there[e.path] = e
			continue
		}
		if err := os.RemoveAll(h.Root + e.path); err != nil {
			return err
		}
	}
	type file struct{ dev, ino uint64 } // file systems number their files alike
	linked := map[file]string{}
	for _, e := range h.base {
		if _, ok := there[e.path]; !ok {
			if err := h.restore(e, linked[file{e.stat.Dev, e.stat.Ino}]); err != nil {
				return fmt.Errorf("restore %s of %s: %w", e.path, h.Name, err)
			}
		} else if e.kind() == unix.S_IFDIR && e.differs(there[e.path]) != "" {
			if err := h.attributes(e); err != nil {
				return err
			}
		}
		if e.stat.Nlink > 1 && e.kind() == unix.S_IFREG {
			linked[file{e.stat.Dev, e.stat.Ino}] = e.path
		}
	}
	// What was restored has other inodes.
	return h.Keep()
}

// restore makes an object again; the path is that of another name of the same file, or empty.
func (h *Host) restore(e entry, other string) (err error) {
	path := h.Root + e.path
	switch {
	case other != "":
		return os.Link(h.Root+other, path)
	case e.kind() == unix.S_IFDIR:
		err = os.Mkdir(path, 0o700)
	case e.kind() == unix.S_IFREG:
		err = os.WriteFile(path, []byte(e.content), 0o600)
	case e.kind() == unix.S_IFLNK:
		err = os.Symlink(e.content, path)
	default:
		err = unix.Mknod(path, e.stat.Mode, 0)
	}
	if err != nil {
		return err
	}
	return h.attributes(e)
}

func (h *Host) attributes(e entry) error {
	path := h.Root + e.path
	if err := os.Lchown(path, int(e.stat.Uid), int(e.stat.Gid)); err != nil {
		return err
	}
	if e.kind() == unix.S_IFLNK {
		return nil
	}
	for name, value := range e.xattrs {
		if err := unix.Lsetxattr(path, name, []byte(value), 0); err != nil {
			return err
		}
	}
	if err := unix.Chmod(path, e.stat.Mode&^unix.S_IFMT); err != nil {
		return err
	}
	times := []unix.Timespec{e.stat.Mtim, e.stat.Mtim}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, times, unix.AT_SYMLINK_NOFOLLOW)
}

func byPath(all []entry) map[string]entry {
	m := make(map[string]entry, len(all))
	for _, e := range all {
		m[e.path] = e
	}
	return m
}
