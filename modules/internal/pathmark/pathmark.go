// Package pathmark defines the kinds of marks of files, links and folders.
package pathmark

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
)

// File is a file that kinit made or replaced.
func File() module.MarkKind {
	return module.NewMarkKind(hostfile.FileKind, "file", undoFile, module.MarkTraits{File: module.MarkedPath, Text: func(mark module.Mark) string {
		if mark.Prior != "" {
			return "bring file " + mark.ID + " back from " + mark.Prior
		}
		return "remove file " + mark.ID
	}})
}

// Directory is a folder that kinit made.
func Directory() module.MarkKind {
	return module.NewMarkKind(hostfile.DirectoryKind, "folder", undoDirectory, module.MarkTraits{Folder: true, Data: holdsData, Text: func(mark module.Mark) string {
		return "remove folder " + mark.ID + " unless others use it"
	}})
}

// holdsData reports whether a folder is kinit's alone, so that it is removed with all that is in it, and has something
// in it that has no mark.
func holdsData(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	if !Private(h.Owner(), mark.ID) || mark.ID == manifest.Of(h.Owner()) {
		return false, nil
	}
	infos, err := h.Files().List(ctx, mark.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	marks, err := h.Marks(ctx)
	if err != nil {
		return false, err
	}
	for _, info := range infos {
		marked := func(m module.Mark) bool { return m.ID == path.Join(mark.ID, info.Name) }
		if !slices.ContainsFunc(marks, marked) {
			return true, nil
		}
	}
	return false, nil
}

// Remove deletes the path in a mark's ID.
func Remove(ctx context.Context, h module.Host, mark module.Mark) error {
	return h.Files().Remove(ctx, mark.ID)
}

// undoFile deletes a file that kinit made, or restores the one it replaced,
// whose path is in the mark. After an interrupt that one may already be
// restored.
func undoFile(ctx context.Context, h module.Host, mark module.Mark) error {
	if mark.Prior == "" {
		return RemoveUnlessBase(ctx, h, mark)
	}
	err := h.Files().Rename(ctx, mark.Prior, mark.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// undoDirectory deletes a folder that kinit made. A folder with foreign files
// remains, unless its path shows that it is kinit's alone.
func undoDirectory(ctx context.Context, h module.Host, mark module.Mark) error {
	infos, err := h.Files().List(ctx, mark.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return Remove(ctx, h, mark)
	}
	if mark.ID == manifest.Of(h.Owner()) {
		return nil // it is removed with the manifest in it
	}
	if Private(h.Owner(), mark.ID) {
		marked, err := markedBelow(ctx, h, mark.ID)
		if err != nil {
			return err
		}
		if !marked {
			return Remove(ctx, h, mark)
		}
	}
	h.Report(event.Progress{Text: "folder " + mark.ID + " stays: others have files in it"})
	return nil
}

// Private reports whether a folder is kinit's alone: a system folder named kinit, or below
// one. In the folder of all manifests, only the owner's folder is.
func Private(owner, dir string) bool {
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

// markedBelow reports whether another cluster, since this was planned, or this one
// still has a mark of a path in the folder.
func markedBelow(ctx context.Context, h module.Host, dir string) (bool, error) {
	others, err := manifest.ReadOthers(ctx, h)
	if err != nil || others.Below(dir) != "" {
		return true, err
	}
	marks, err := h.Marks(ctx)
	return Below(marks, dir), err
}

// Below reports whether one of the marks is for a path in the folder.
func Below(marks []module.Mark, dir string) bool {
	return slices.ContainsFunc(marks, func(mark module.Mark) bool { return strings.HasPrefix(mark.ID, dir+"/") })
}
