package engine

import (
	"io/fs"

	"kinit/engine/internal/spec"
)

// Driver is a way to create the nodes of a cluster.
type Driver struct {
	Name    string
	Summary string
}

// Drivers lists the drivers whose playbooks are folders of a file system, by name.
func Drivers(fsys fs.FS, folder string) ([]Driver, error) {
	found, err := spec.DriversIn(fsys, folder)
	if err != nil {
		return nil, err
	}
	var all []Driver
	for _, d := range found {
		all = append(all, Driver{Name: d.Name, Summary: d.Summary})
	}
	return all, nil
}
