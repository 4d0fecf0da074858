package spec

import (
	"embed"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kinit/engine/shell"
	"kinit/engine/trust"
)

// builtinPrefix starts the names of files that ship inside the program.
const builtinPrefix = "builtin:"

// Sources gives access to files: on the disk and inside the program. A name inside the
// program starts with "builtin:"; another is a path, absolute or relative to Cwd.
type Sources struct {
	Cwd       string // an absolute path
	Home      string // the user's home folder
	Builtin   fs.FS  // specs and playbooks inside the program; may be nil
	Text      string // the spec itself, if it is in no file
	Trust     trust.Rules
	FilesRead *FilesRead // gets the names of requested files; nil drops them
}

// Named checks a file or folder that the user has named, or that a file which the user has named names.
func (s Sources) Named(name string) error {
	if IsBuiltin(name) {
		return nil
	}
	return s.Trust.Named(s.Abs(name))
}

// Found checks a file or folder that kinit has found by itself.
func (s Sources) Found(name string) error {
	if IsBuiltin(name) {
		return nil
	}
	return s.Trust.Found(s.Abs(name))
}

// Beside checks a file or folder that was found near the file or folder named, without being named itself.
func (s Sources) Beside(name, named string) error {
	if IsBuiltin(name) {
		return nil
	}
	if IsBuiltin(named) {
		return s.Found(name)
	}
	return s.Trust.Beside(s.Abs(name), s.Abs(named))
}

// ReadFile reads a file by such a name.
func (s Sources) ReadFile(name string) ([]byte, error) {
	s.FilesRead.add(name)
	if inside, ok := inside(name); ok {
		return fs.ReadFile(s.builtin(), inside)
	}
	return os.ReadFile(s.Abs(name))
}

// Open opens a file by such a name.
func (s Sources) Open(name string) (fs.File, error) {
	s.FilesRead.add(name)
	if inside, ok := inside(name); ok {
		return s.builtin().Open(inside)
	}
	return os.Open(s.Abs(name))
}

// Stat describes a file by such a name.
func (s Sources) Stat(name string) (fs.FileInfo, error) {
	s.FilesRead.add(name)
	if inside, ok := inside(name); ok {
		return fs.Stat(s.builtin(), inside)
	}
	return os.Stat(s.Abs(name))
}

// ReadDir lists a folder by such a name, sorted.
func (s Sources) ReadDir(name string) ([]fs.DirEntry, error) {
	if inside, ok := inside(name); ok {
		return fs.ReadDir(s.builtin(), inside)
	}
	return os.ReadDir(s.Abs(name))
}

// IsBuiltin reports whether a name refers to a file inside the program.
func IsBuiltin(name string) bool { return strings.HasPrefix(name, builtinPrefix) }

// inside returns the path in Builtin of a file inside the program.
func inside(name string) (string, bool) {
	inside, ok := strings.CutPrefix(name, builtinPrefix)
	return path.Clean(inside), ok
}

// builtin returns the files inside the program, which may be none.
func (s Sources) builtin() fs.FS {
	if s.Builtin == nil {
		return embed.FS{}
	}
	return s.Builtin
}

// Abs makes a name absolute. Names inside the program are already absolute.
func (s Sources) Abs(name string) string {
	if IsBuiltin(name) || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.Cwd, name)
}

// Expand replaces a leading ~ of a path by the user's home folder.
func (s Sources) Expand(path string) string { return shell.ExpandHome(path, s.Home) }

// Join returns the name of a file relative to a folder. It does not change names that are
// absolute or inside the program.
func Join(folder, name string) string {
	if IsBuiltin(name) || filepath.IsAbs(name) {
		return name
	}
	if inside, ok := strings.CutPrefix(folder, builtinPrefix); ok {
		return builtinPrefix + strings.TrimPrefix(path.Join("/", inside, name), "/")
	}
	return filepath.Join(folder, name)
}

// Folder returns the name of a file's folder.
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

// FilesRead collects the names of requested files, missing ones too. It is safe for use by
// several goroutines; nil drops the names.
type FilesRead struct {
	mu    sync.Mutex
	names map[string]bool
}

func (f *FilesRead) add(name string) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[name] = true
}

// Names lists the files, sorted.
func (f *FilesRead) Names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.names))
}
