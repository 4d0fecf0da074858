package spec

import (
	"errors"
	"io/fs"
	"strings"

	"kinit/engine/diag"
)

// locate finds a spec by its path or name: a file on the disk, a file inside the program,
// or a name that a template on the disk or in the program expands.
func (l *loader) locate(given string) (found, diag.List) {
	if given == "" {
		return found{}, diag.Errorf(nil, "No spec", "Give the path of a spec file or the name of a spec, such as <distro>-<driver>-<controllers>-<computes>-<hypervisors>.")
	}
	for _, file := range candidates(given) {
		text, err := l.src.ReadFile(file)
		if err == nil {
			return found{file: file, text: text}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !isFolder(l.src, file) {
			return found{}, diag.Errorf(nil, "Unreadable spec", "The spec %q could not be read: %v.", given, err)
		}
	}
	return l.expand(given)
}

// candidates lists the files a spec may be in, the best one first. A path below specs/ also
// names a file inside the program.
func candidates(given string) []string {
	files := []string{given}
	if !strings.HasSuffix(given, suffix) {
		files = append(files, given+suffix)
	}
	if name, ok := shippedName(given); ok {
		files = append(files, builtinPrefix+name+suffix)
	}
	return files
}

func isFolder(src Sources, name string) bool {
	_, err := src.ReadDir(name)
	return err == nil
}
