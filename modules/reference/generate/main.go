// Command generate writes the reference of all modules: a file each in
// modules/reference/data, and docs/modules.md. It runs in modules/reference, by
// "go generate ./modules/reference".
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"kinit/modules"
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
