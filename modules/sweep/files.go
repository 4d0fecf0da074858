package sweep

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/podman"
	"kinit/modules/unarchive"
)

// remove deletes what has its path as ID.
func remove(ctx context.Context, h module.Host, mark module.Mark) error {
	return h.Files().Remove(ctx, mark.ID)
}

// undoTree removes a checkout with all in it, and of an archive what came out of it.
func undoTree(ctx context.Context, h module.Host, mark module.Mark) error {
	checkout, err := hostfile.Exists(ctx, h, path.Join(mark.ID, ".git"))
	if err != nil {
		return err
	}
	if checkout {
		return remove(ctx, h, mark)
	}
	return unarchive.Undo(ctx, h, mark)
}

// undoFile deletes a file that kinit made, or puts back the one it replaced,
// which is at the path that the mark keeps. After an interrupt that one may be
// back already.
func undoFile(ctx context.Context, h module.Host, mark module.Mark) error {
	if mark.Prior == "" {
		return remove(ctx, h, mark)
	}
	err := h.Files().Rename(ctx, mark.Prior, mark.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// undoDirectory deletes a folder that kinit made. One with others' files in it
// stays, unless its path says that it is kinit's alone.
func undoDirectory(ctx context.Context, h module.Host, mark module.Mark) error {
	infos, err := h.Files().List(ctx, mark.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return remove(ctx, h, mark)
	}
	if mark.ID == manifest.Of(h.Owner()) {
		return nil // it goes with the manifest that is in it
	}
	if private(h.Owner(), mark.ID) {
		marked, err := markedBelow(ctx, h, mark.ID)
		if err != nil {
			return err
		}
		if !marked {
			return remove(ctx, h, mark)
		}
	}
	h.Report(event.Progress{Text: "folder " + mark.ID + " stays: others have files in it"})
	return nil
}

// private tells whether a folder is kinit's alone: a system folder named kinit, or below
// one. Of the folder of all manifests that is only what is in the owner's own.
func private(owner, dir string) bool {
	if strings.HasPrefix(manifest.Folder+"/", dir+"/") {
		return false
	}
	if strings.HasPrefix(dir, manifest.Folder+"/") {
		return strings.HasPrefix(dir, manifest.Of(owner)+"/") && !strings.HasPrefix(dir+"/", manifest.Owned(owner)+"/")
	}
	for _, system := range []string{"/etc", "/opt", "/run", "/srv", "/usr/local/lib", "/var/cache", "/var/lib", "/var/log"} {
		if strings.HasPrefix(dir+"/", system+"/kinit/") {
			return true
		}
	}
	return false
}

// markedBelow tells whether another cluster, since this was planned, or this one
// still has a mark of anything in the folder.
func markedBelow(ctx context.Context, h module.Host, dir string) (bool, error) {
	others, err := manifest.ReadOthers(ctx, h)
	if err != nil || others.Below(dir) != "" {
		return true, err
	}
	marks, err := h.Marks(ctx)
	return below(marks, dir), err
}

// below tells whether one of the marks is of anything in the folder.
func below(marks []module.Mark, dir string) bool {
	return slices.ContainsFunc(marks, func(mark module.Mark) bool { return strings.HasPrefix(mark.ID, dir+"/") })
}

// undoImage removes an image that podman_sweep did not find.
func undoImage(ctx context.Context, h module.Host, mark module.Mark) error {
	err := podman.Client{Host: h}.Untag(ctx, mark.ID)
	if podman.NotInstalled(err) {
		return nil
	}
	return err
}
