package spec

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kinit/engine/diag"
)

const (
	suffix         = ".hcl"
	templateSuffix = ".tmpl.hcl"
	shippedFolder  = "specs" // the folder of the program's specs in the source tree
)

// found is the text of a spec file.
type found struct {
	file string // the file name in its ranges
	text []byte
}

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

// shippedName returns the name for a spec inside the program.
func shippedName(given string) (string, bool) {
	dir, base := path.Split(path.Clean(filepath.ToSlash(given)))
	if dir != "" && dir != shippedFolder+"/" {
		return "", false
	}
	return strings.TrimSuffix(base, suffix), true
}

func isFolder(src Sources, name string) bool {
	_, err := src.ReadDir(name)
	return err == nil
}

// known lists the names of specs in a folder, and of its templates.
func known(src Sources, folder string) (names, templates []string) {
	entries, err := src.ReadDir(folder)
	if err != nil {
		return nil, nil
	}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), templateSuffix); ok {
			templates = append(templates, name)
			continue
		}
		if name, ok := strings.CutSuffix(entry.Name(), suffix); ok && !entry.IsDir() {
			names = append(names, name)
		}
	}
	return names, templates
}

// beginnings returns the possible beginnings of names by the grammar. A template without a
// driver in its name is for all drivers.
func beginnings(templates []string) []string {
	all := slices.Clone(templates)
	for i, name := range all {
		if !strings.Contains(name, "-") {
			all[i] = name + "-<driver>"
		}
	}
	return all
}

// notFound reports a missing spec, with similar names.
func notFound(src Sources, given string) diag.List {
	name := strings.TrimSuffix(filepath.Base(given), suffix)
	disk, _ := known(src, filepath.Dir(given))
	shipped, templates := known(src, builtinPrefix)
	text := diag.Near(name, slices.Concat(disk, shipped))
	if len(templates) > 0 {
		text += " A name that is in no file may be <distro>-<driver>-<controllers>-<computes>-<hypervisors>, where <distro>-<driver> is one of " +
			strings.Join(beginnings(templates), ", ") + "."
	}
	return diag.List{{
		Summary: "Spec not found",
		Detail:  "There is no spec file " + given + ", and no spec of this name ships with kinit." + text,
		Cause:   fs.ErrNotExist,
	}}
}
