package spec

import (
	"io/fs"
	"path"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// driverFile is the file in a driver's folder that contains its driver block.
const driverFile = "driver.hcl"

// DriversIn lists the drivers that the folders of a folder declare in their files
// driver.hcl, by the names of the folders.
func DriversIn(fsys fs.FS, folder string) ([]*Driver, error) {
	files, err := fs.Glob(fsys, path.Join(folder, "*", driverFile))
	if err != nil {
		return nil, err
	}
	var all []*Driver
	for _, name := range files {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		found, err := driversOf(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// driversOf reads only the driver blocks of one file.
func driversOf(name string, text []byte) ([]*Driver, error) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if problems.HasErrors() {
		return nil, problems
	}
	l := &loader{spec: &Spec{Root: newNamespace(nil, "")}, places: map[string]hcl.Range{}}
	l.in = l.spec.Root
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		if t := blockTypes()["driver"]; b.Type == "driver" && l.labelled(b, t) {
			t.read(l, b)
		}
	}
	return l.spec.Drivers, l.Diags.Err()
}
