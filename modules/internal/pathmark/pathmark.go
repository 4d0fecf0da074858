// Package pathmark defines the kinds of marks of files, links and folders.
package pathmark

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
)

// File is a file that kinit made or replaced.
func File() module.MarkKind {
	traits := module.MarkTraits{File: module.MarkedPath, Data: Edited(module.MarkedPath), DataNoun: "edited file", Text: func(mark module.Mark) string {
		if mark.Prior != "" {
			return "bring file " + mark.ID + " back from " + mark.Prior
		}
		return "remove file " + mark.ID
	}}
	return module.NewMarkKind(hostfile.FileKind, "file", undoFile, traits)
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

// Remove deletes the file or link in a mark's ID. A folder that has taken its place stays.
func Remove(ctx context.Context, h module.Host, mark module.Mark) error {
	is, err := isFolder(ctx, h, mark.ID)
	if err != nil || is {
		return err
	}
	return h.Files().Remove(ctx, mark.ID)
}

// isFolder reports whether a folder is where kinit has made something else, and that it stays.
func isFolder(ctx context.Context, h module.Host, name string) (bool, error) {
	info, there, err := hostfile.Look(ctx, h, name)
	if err != nil || !there || !info.Mode.IsDir() {
		return false, err
	}
	h.Report(event.Progress{Text: "folder " + name + " stays: kinit made something else at this path, and not the folder"})
	return true, nil
}

// undoFile deletes a file that kinit made, or restores the one it replaced,
// whose path is in the mark. After an interrupt that one may already be
// restored.
func undoFile(ctx context.Context, h module.Host, mark module.Mark) error {
	if mark.Prior == "" {
		return RemoveUnlessBase(ctx, h, mark)
	}
	is, err := isFolder(ctx, h, mark.ID)
	if err != nil || is {
		return err
	}
	err = h.Files().Rename(ctx, mark.Prior, mark.ID)
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
		return h.Files().Remove(ctx, mark.ID)
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
			return h.Files().Remove(ctx, mark.ID)
		}
	}
	h.Report(event.Progress{Text: "folder " + mark.ID + " stays: kinit did not make " + Some(lists.Map(infos, func(info module.FileInfo) string { return info.Name }))})
	return nil
}

// mostNames is how many names a message has.
const mostNames = 3

// Some names what is in a folder, for messages.
func Some(content []string) string {
	names := slices.Clone(content[:min(len(content), mostNames)])
	if more := len(content) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last] + " in it"
	}
	return strings.Join(names, "") + " in it"
}

// Private reports whether a folder is kinit's alone, so that it goes with what programs have written into it: below
// /var/lib/kinit. In the folder of all manifests, only the owner's folder is. A folder elsewhere is not, whatever its name:
// people may have put their files there.
func Private(owner, dir string) bool {
	if strings.HasPrefix(manifest.Folder+"/", dir+"/") {
		return false
	}
	if strings.HasPrefix(dir, manifest.Folder+"/") {
		return strings.HasPrefix(dir, manifest.Of(owner)+"/") && !strings.HasPrefix(dir+"/", manifest.Owned(owner)+"/")
	}
	return strings.HasPrefix(dir, module.StateFolder+"/")
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
