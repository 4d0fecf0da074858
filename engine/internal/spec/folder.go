package spec

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/trust"
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
		return l.trusted(source, folder, at)
	}
	return "", diag.Errorf(&at, "Playbook not found", "There is no folder %q here or inside kinit; it was looked for as %s.%s",
		source, strings.Join(tried, ", "), diag.Near(filepath.Base(source), l.beside(tried)))
}

// trusted checks a folder that was found for a name. A name with a path says which folder is meant; another one is
// searched for, so the folder may be another user's.
func (l *loader) trusted(source, folder string, at hcl.Range) (string, diag.List) {
	if saysWhere(source) {
		if err := l.src.Named(folder); err != nil {
			return "", trust.Problem(&at, err)
		}
		return folder, nil
	}
	if err := l.src.Beside(folder, at.Filename); err != nil {
		list := trust.Problem(&at, err)
		list[0].Detail += fmt.Sprintf(" Or write its path, as in \"./%s\", which says that this folder is meant.", source)
		return "", list
	}
	l.near[folder] = at.Filename
	return folder, nil
}

// saysWhere reports whether the name of a folder is a path.
func saysWhere(source string) bool {
	return strings.HasPrefix(source, ".") || strings.HasPrefix(source, builtinPrefix) || filepath.IsAbs(source)
}

// beside lists the folders beside the tried ones.
func (l *loader) beside(tried []string) []string {
	var names []string
	for _, folder := range tried {
		entries, _ := l.src.ReadDir(Folder(folder)) // a missing one has none
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
	if saysWhere(source) {
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

// readFolder reads all files of a folder, by name, once in each namespace.
func (l *loader) readFolder(folder string) {
	if l.folders[l.in.Address(folder)] {
		return
	}
	l.folders[l.in.Address(folder)] = true
	files, _ := l.filesIn(folder)
	for _, file := range files {
		if file == l.spec.Path {
			continue // the spec file itself, in its own playbook's folder
		}
		if body := l.playbookFile(file); body != nil {
			l.blocks(body, false)
		}
	}
}

// playbookFile returns the content of a file, which several imports may name; nil if it
// cannot be read, which is reported once.
func (l *loader) playbookFile(name string) *hclsyntax.Body {
	if body, known := l.parsed[name]; known {
		return body
	}
	l.parsed[name] = nil
	check := l.src.Named(name)
	if near, found := l.near[Folder(name)]; found {
		check = l.src.Beside(name, near)
	}
	if check != nil {
		l.Tell(trust.Problem(nil, check))
		return nil
	}
	text, err := l.src.ReadFile(name)
	if err != nil {
		l.Tell(diag.Errorf(nil, "Unreadable file", "The playbook file %s could not be read: %v.", name, err))
		return nil
	}
	l.parsed[name] = l.parse(name, text)
	return l.parsed[name]
}

// parse reads one file. A file with a syntax error has no body, so that the mistake is
// reported once.
func (l *loader) parse(name string, text []byte) *hclsyntax.Body {
	file, problems := bounds.Parse(name, text)
	if file != nil {
		l.spec.Sources[name] = file
	}
	l.Tell(diag.FromParser(problems))
	if problems.HasErrors() {
		return nil
	}
	return file.Body.(*hclsyntax.Body)
}
