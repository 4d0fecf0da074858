package ospkg

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/packages"
)

// options returns a change with the options of the task.
func (t *Task) options() packages.Change {
	return packages.Change{Release: t.Release, Recommends: t.Recommends, Enable: t.EnableRepositories, Disable: t.DisableRepositories}
}

// knows reports by an error that the package manager of the host lacks an option that is given.
func (t *Task) knows(manager packages.Manager) error {
	for option, given := range map[packages.Option]bool{
		packages.Release: t.Release != "", packages.Recommends: t.Recommends,
		packages.Repositories: len(t.EnableRepositories)+len(t.DisableRepositories) > 0,
	} {
		if given && !slices.Contains(manager.Options(), option) {
			return fmt.Errorf("the package manager of this host does not know %s: leave it out there, as with when", option)
		}
	}
	return nil
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
