// Package packagefacts is the module "package_facts": which packages a host has.
package packagefacts

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/packages"
)

// Task reads which packages are installed on the host, and changes nothing.
//
// It uses the package managers that the module package uses.
//
// Errors:
//   - the host has none of these package managers
type Task struct{ module.Facts }

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "package_facts", Reads: true})
}

type Outputs struct {
	Versions map[string]string `cty:"versions"` // the installed version by package name; of several, such as kernels, the newest
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	manager, err := packages.Of(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	versions, err := manager.All(ctx, h)
	return Outputs{Versions: versions}, err
}
