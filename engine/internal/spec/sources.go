package spec

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// builtinPrefix starts the names of files that ship inside the program.
const builtinPrefix = "builtin:"

// Sources is where files come from: the disk, and what ships inside the program.
// A name inside the program starts with "builtin:"; another is a path, absolute
// or relative to Cwd.
type Sources struct {
	Cwd     string // an absolute path
	Home    string // the user's home folder
	Builtin fs.FS  // specs and playbooks inside the program; may be nil
}

// ReadFile reads a file by such a name.
func (s Sources) ReadFile(name string) ([]byte, error) {
	inside, ok := strings.CutPrefix(name, builtinPrefix)
	if !ok {
		return os.ReadFile(s.Abs(name))
	}
	if s.Builtin == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(s.Builtin, path.Clean(inside))
}

// ReadDir lists a folder by such a name, sorted.
func (s Sources) ReadDir(name string) ([]fs.DirEntry, error) {
	inside, ok := strings.CutPrefix(name, builtinPrefix)
	if !ok {
		return os.ReadDir(s.Abs(name))
	}
	if s.Builtin == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadDir(s.Builtin, path.Clean(inside))
}

// Abs makes a name absolute. Names inside the program are so already.
func (s Sources) Abs(name string) string {
	if strings.HasPrefix(name, builtinPrefix) || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.Cwd, name)
}

// Join is the name of a file relative to a folder. A name that is absolute or
// inside the program stays as it is.
func Join(folder, name string) string {
	if strings.HasPrefix(name, builtinPrefix) || filepath.IsAbs(name) {
		return name
	}
	if inside, ok := strings.CutPrefix(folder, builtinPrefix); ok {
		return builtinPrefix + strings.TrimPrefix(path.Join("/", inside, name), "/")
	}
	return filepath.Join(folder, name)
}

// Folder is the name of the folder a file is in.
func Folder(file string) string {
	inside, ok := strings.CutPrefix(file, builtinPrefix)
	if !ok {
		return filepath.Dir(file)
	}
	if dir := path.Dir(inside); dir != "." {
		return builtinPrefix + dir
	}
	return builtinPrefix
}
