package spec

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// folder finds the folder that a playbook or import names: beside the file, beside the
// folder of the file, or inside the program.
func (l *loader) folder(source, base string, at hcl.Range) (string, diag.List) {
	if source == "" {
		return "", diag.Errorf(&at, "Invalid folder", "Give the name of a folder with playbook files.")
	}
	tried := places(source, base)
	for _, folder := range tried {
		files, ok := l.filesIn(folder)
		if !ok {
			continue
		}
		if len(files) == 0 {
			return "", diag.Errorf(&at, "Empty playbook", "The folder %s has no %s files.", folder, suffix)
		}
		return folder, nil
	}
	return "", diag.Errorf(&at, "Playbook not found", "There is no folder %q here or inside kinit; it was looked for as %s.%s",
		source, strings.Join(tried, ", "), diag.Near(filepath.Base(source), l.beside(tried)))
}

// beside lists the folders beside the tried ones.
func (l *loader) beside(tried []string) []string {
	var names []string
	for _, folder := range tried {
		entries, err := l.src.ReadDir(Folder(folder))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if entry.IsDir() {
				names = append(names, entry.Name())
			}
		}
	}
	return names
}

// places lists where a folder may be, the best one first.
func places(source, base string) []string {
	all := []string{Join(base, source)}
	if strings.HasPrefix(source, ".") || strings.HasPrefix(source, builtinPrefix) || filepath.IsAbs(source) {
		return all
	}
	for _, place := range []string{Join(Folder(base), source), Join(builtinPrefix, source)} {
		if place != all[len(all)-1] {
			all = append(all, place)
		}
	}
	return all
}

// filesIn lists the playbook files of a folder by name, and reports whether the folder
// exists. Templates of specs and hidden files are not playbook files.
func (l *loader) filesIn(folder string) ([]string, bool) {
	entries, err := l.src.ReadDir(folder)
	if err != nil {
		return nil, false
	}
	var files []string
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, suffix) || strings.HasSuffix(name, templateSuffix) || strings.HasPrefix(name, ".") {
			continue
		}
		files = append(files, Join(folder, name))
	}
	return files, true
}
