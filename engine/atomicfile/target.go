package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// mostLinks is how many links lead on from each other at most, as in the kernel.
const mostLinks = 40

// target is what a path means.
type target struct {
	path       string
	descriptor int         // of an open file of this process, or -1
	info       fs.FileInfo // nil if there is no file
}

// regular reports whether the target is a regular file, or is to become one.
func (t target) regular() bool {
	return t.descriptor < 0 && (t.info == nil || t.info.Mode().IsRegular())
}

// resolve follows symbolic links.
func resolve(path string) (target, error) {
	at := path
	for range mostLinks {
		if n, is := descriptor(at); is {
			return target{path: path, descriptor: n}, nil
		}
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return target{path: at, descriptor: -1}, nil
		}
		if err != nil {
			return target{}, err
		}
		if info.Mode().IsRegular() {
			return target{path: at, descriptor: -1, info: info}, nil
		}
		if err := trusted(at, info); err != nil {
			return target{}, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return target{path: at, descriptor: -1, info: info}, nil
		}
		next, err := os.Readlink(at)
		if err != nil {
			return target{}, err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(at), next)
		}
		at = next
	}
	return target{}, &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// descriptor returns the number of the open file of this process that a path means.
func descriptor(path string) (int, bool) {
	named := map[string]int{"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
	if n, is := named[path]; is {
		return n, true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		text, is := strings.CutPrefix(path, folder)
		if n, err := strconv.Atoi(text); is && err == nil && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

// trusted returns an error for a link or pipe that another user made in a folder to which everybody may write, such as /tmp: it could
// lead anywhere. The kernel has the same rule for links (man 5 proc, protected_symlinks).
func trusted(path string, info fs.FileInfo) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || folder.Mode()&fs.ModeSticky == 0 || folder.Mode().Perm()&0o002 == 0 {
		return err
	}
	file, isFile := info.Sys().(*syscall.Stat_t)
	above, isFolder := folder.Sys().(*syscall.Stat_t)
	if !isFile || !isFolder || int(file.Uid) == os.Geteuid() || file.Uid == above.Uid {
		return nil
	}
	return fmt.Errorf("%s belongs to another user, in a folder to which everybody may write: name another file", path)
}

// open opens a device or a pipe, or duplicates an open file, so that its position goes on. It does not wait for the reader
// of a pipe.
func (t target) open() (*os.File, error) {
	if t.descriptor >= 0 {
		n, err := syscall.Dup(t.descriptor)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: t.path, Err: err}
		}
		syscall.CloseOnExec(n)
		return os.NewFile(uintptr(n), t.path), nil
	}
	if t.info.Mode()&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice {
		return nil, fmt.Errorf("%s is a disk: name a file", t.path)
	}
	file, err := os.OpenFile(t.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("nothing reads from %s: start the program that reads from it first", t.path)
	}
	return file, err
}
