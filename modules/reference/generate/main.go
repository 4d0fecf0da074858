// Command generate writes the reference of all modules: a file each in
// modules/reference/data, and docs/modules.md. It runs in modules/reference, by
// "go generate ./modules/reference".
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"kinit/engine/module"
	"kinit/modules"
	"kinit/modules/reference"
)

func main() {
	if err := write("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// write replaces the generated files below root, the folder of the repository. Its
// error also names what modules do not say about themselves; the files are written
// all the same.
func write(root string) error {
	files, lacking, err := generated(root, modules.All())
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(root, dataFolder)); err != nil {
		return err
	}
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return lacking
}

// Where the generated files are, from the folder of the repository.
const (
	dataFolder = "modules/reference/data"
	page       = "docs/modules.md"
)

// generated makes the files of the reference, by their paths below root. lacking
// names everything that a module does not say about itself.
func generated(root string, kinds []module.Kind) (files map[string]string, lacking, err error) {
	src := &source{root: root, folders: map[string]declared{}}
	files = map[string]string{}
	var all []reference.Module
	for _, kind := range kinds {
		m, missing := describe(src, kind)
		if missing != nil {
			lacking = errors.Join(lacking, fmt.Errorf("module %s: %w", kind.Name, missing))
		}
		if files[path.Join(dataFolder, m.Name+".json")], err = encode(m); err != nil {
			return nil, nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b reference.Module) int { return cmp.Compare(a.Name, b.Name) })
	files[page] = reference.Markdown(all)
	return files, lacking, nil
}

// encode keeps "<" and "&" as they are, for people who read the files.
func encode(m reference.Module) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.String(), err
}
