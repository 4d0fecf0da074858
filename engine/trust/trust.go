// Package trust decides which files kinit obeys. A file that a user names is obeyed unless every user of the
// machine can change it. A file that kinit finds by itself must also belong to the user or to root, and so must its
// folder, because another user may have put it there.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable with the folders that are trusted as they are, separated by colons.
const Variable = "KINIT_TRUST_DIR"

// ErrUntrusted is the cause when a file may not be obeyed.
var ErrUntrusted = errors.New("not trusted")

// Rules are the rules of one user. The zero value trusts files of root alone.
type Rules struct {
	uid     int
	folders []string // trusted as they are
}

// From returns the rules of the process's user with an environment of KEY=value pairs.
func From(environ []string) Rules {
	r := Rules{uid: os.Geteuid()}
	for _, entry := range environ {
		if list, ok := strings.CutPrefix(entry, Variable+"="); ok {
			r.folders = slices.DeleteFunc(filepath.SplitList(list), func(f string) bool { return !filepath.IsAbs(f) })
		}
	}
	return r
}

// Named checks a file or folder that the user has named, or that a file which the user has named names. The
// error for a missing file is nil.
func (r Rules) Named(path string) error {
	_, err := r.named(path)
	return err
}

func (r Rules) named(path string) (status, error) {
	s, err := statusOf(path)
	if err != nil || !s.there || r.waives(path, s.path) {
		return s, err
	}
	regular := s.mode.IsRegular() || s.mode.IsDir() // a pipe of a shell belongs to the user whatever its mode
	if regular && s.mode.Perm()&0o002 != 0 {
		return s, refuse("every user of this machine can change %s (mode %04o). Run 'chmod o-w %s', or set %s=%s to trust what is there",
			path, s.mode.Perm(), path, Variable, folderOf(s))
	}
	return s, nil
}

// Found checks a file or folder that kinit has found by itself, and its folder. The error for a missing file is nil.
func (r Rules) Found(path string) error { return r.found(path, r.uid) }

// Beside checks a file or folder that kinit has found because it is near a file that the user has named. They may
// belong to the same user.
func (r Rules) Beside(path, named string) error {
	also := r.uid
	if s, err := statusOf(named); err == nil && s.there {
		also = s.uid
	}
	return r.found(path, also)
}

func (r Rules) found(path string, also int) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	s, err := r.named(path)
	if err != nil || !s.there {
		return err
	}
	for _, each := range slices.Compact([]string{path, s.path}) { // a link, and what it points to
		if err := r.place(each, also); err != nil {
			return err
		}
	}
	return r.own(s, also)
}

// place checks the folder of a file. No other user may be able to put a file there, or to exchange one of
// the folders above, which only in a folder with the sticky bit takes the right to that folder.
func (r Rules) place(path string, also int) error {
	folder, err := statusOf(filepath.Dir(path))
	if err != nil || r.waives(path, path) {
		return err
	}
	if err := r.own(folder, also); err != nil {
		return err
	}
	for above := filepath.Dir(folder.path); ; above = filepath.Dir(above) {
		s, err := statusOf(above)
		if err != nil {
			return err
		}
		if why := r.shared(s); why != "" && s.mode&fs.ModeSticky == 0 && !r.waives(above, above) {
			return r.distrust(folder, "%s can exchange folders in %s", why, above)
		}
		if above == filepath.Dir(above) {
			return nil
		}
	}
}

// own checks who owns a file or folder and who else can change it.
func (r Rules) own(s status, also int) error {
	switch why := r.shared(s); {
	case r.waives(s.path, s.path):
		return nil
	case s.uid != 0 && s.uid != r.uid && s.uid != also:
		return r.distrust(s, "%s belongs to %s, and not to you or root", s.path, userName(s.uid))
	case why != "":
		return r.distrust(s, "%s can change %s (mode %04o)", why, s.path, s.mode.Perm())
	}
	return nil
}

func (r Rules) distrust(s status, format string, args ...any) error {
	return refuse("%s, so somebody else may have put it there. If you trust it, set %s=%s, which trusts everything in that folder",
		fmt.Sprintf(format, args...), Variable, folderOf(s))
}

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUntrusted, fmt.Sprintf(format, args...))
}

// shared says who other than its owner can change a file, or "". A group that is the user's own, as many systems make
// for each user, has no other members; an access list may name other users.
func (r Rules) shared(s status) string {
	switch {
	case s.mode.Perm()&0o002 != 0:
		return "every user of this machine"
	case s.mode.Perm()&0o020 == 0:
		return ""
	case hasAccessList(s.path):
		return "a user or group of its access list"
	case s.gid != 0 && !private(s.gid, r.uid) && !private(s.gid, s.uid):
		return "the group " + groupName(s.gid)
	}
	return ""
}

// private reports whether a group is a user's own: it has the user's name, or, as in a container, both have only
// a number.
func private(gid, uid int) bool {
	g, err := user.LookupGroupId(strconv.Itoa(gid))
	if err != nil {
		return gid == uid
	}
	u, err := user.LookupId(strconv.Itoa(uid))
	return err == nil && g.Name == u.Username
}

// waives reports whether a trusted folder contains a path, by one of its names.
func (r Rules) waives(names ...string) bool {
	return slices.ContainsFunc(r.folders, func(folder string) bool {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return false
		}
		return slices.ContainsFunc(names, func(name string) bool { return within(name, filepath.Clean(folder)) || within(name, real) })
	})
}

func within(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

// status is what is checked of a file or folder.
type status struct {
	there    bool
	path     string // without links
	mode     fs.FileMode
	uid, gid int
}

func statusOf(path string) (status, error) {
	path, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return status{}, nil
	}
	if err != nil {
		return status{}, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return status{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return status{}, err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return status{there: true, path: path, mode: info.Mode(), uid: int(owner.Uid), gid: int(owner.Gid)}, nil
}

// folderOf returns the folder to trust.
func folderOf(s status) string {
	if s.mode.IsDir() {
		return s.path
	}
	return filepath.Dir(s.path)
}

// accessList is the extended attribute with a file's access list.
const accessList = "system.posix_acl_access"

func hasAccessList(path string) bool {
	n, err := unix.Getxattr(path, accessList, nil)
	return err == nil && n > 0
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("the user %d", uid)
}

func groupName(gid int) string {
	if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil {
		return g.Name
	}
	return strconv.Itoa(gid)
}
