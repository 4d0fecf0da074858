package ospkg

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/packages"
)

func (t *Task) options() packages.Change {
	return packages.Change{Release: t.Release, Recommends: t.Recommends, Enable: t.EnableRepositories, Disable: t.DisableRepositories}
}

// readFiles reads which packages the files have in them.
func (t *Task) readFiles(ctx context.Context, h module.Host, manager packages.Manager) error {
	t.files = nil
	for _, file := range t.Files {
		there, err := hostfile.Exists(ctx, h, file)
		if err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("files: %w", hostfile.Missing(h, file))
		}
		if _, _, err := hostfile.Rooted(ctx, h, file); err != nil {
			return fmt.Errorf("files: %s: %w", file, err)
		}
		spec, err := manager.Describe(ctx, h, file)
		if err != nil {
			return fmt.Errorf("files: %w", err)
		}
		t.files = append(t.files, spec)
	}
	return nil
}
