package ospkg

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/packages"
)

// undoPackage removes a package with its configuration. Packages that were installed along
// with it remain: others may need them by now.
func undoPackage(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || manager == nil {
		return err
	}
	if held {
		if err := manager.Hold(ctx, h, mark.ID, false); err != nil {
			return err
		}
	}
	return manager.Change(ctx, h, packages.Change{Remove: []string{mark.ID}, Purge: true})
}

// undoHold releases the hold of a package.
func undoHold(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || !held {
		return err
	}
	return manager.Hold(ctx, h, mark.ID, false)
}

// look returns the package manager and whether a package is held, or no manager if
// the package is not installed.
func look(ctx context.Context, h module.Host, name string) (packages.Manager, bool, error) {
	manager, err := packages.Of(ctx, h)
	if err != nil {
		return nil, false, err
	}
	installed, err := manager.Installed(ctx, h, []string{name})
	if err != nil || len(installed) == 0 {
		return nil, false, err
	}
	held, err := manager.Held(ctx, h, []string{name})
	return manager, held[name], err
}
