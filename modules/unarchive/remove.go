package unarchive

import (
	"context"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/tree"
)

// remove takes away what is in the manifest and, where nothing else is in it, the
// folder that was made for it.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || !s.unpacked {
		return err
	}
	here := byPath(s.here)
	ours := slices.DeleteFunc(slices.Clone(s.manifest.Unpacked), func(e tree.Entry) bool { return here[e.Path].Type != e.Type })
	if err := removeEntries(ctx, h, t.Dest, ours); err != nil {
		return err
	}
	for _, name := range []string{unpackedName, manifestName} {
		if err := h.Files().Remove(ctx, path.Join(t.Dest, name)); err != nil {
			return err
		}
	}
	left, err := h.Files().List(ctx, t.Dest)
	if err != nil {
		return err
	}
	if s.manifest.NewDest && len(left) == 0 {
		if err := h.Files().Remove(ctx, t.Dest); err != nil {
			return err
		}
	}
	return claim.Release(ctx, h, t.Dest, "tree")
}

// removeEntries removes files and links, and then the folders that are empty, the
// deepest first.
func removeEntries(ctx context.Context, h module.Host, folder string, entries []tree.Entry) error {
	var files, folders []tree.Entry
	for _, e := range entries {
		if e.Type == "d" {
			folders = append(folders, e)
		} else {
			files = append(files, e)
		}
	}
	slices.SortFunc(folders, func(a, b tree.Entry) int { return strings.Compare(b.Path, a.Path) })
	if err := each(ctx, h, folder, files, "rm", "--force", "--"); err != nil {
		return err
	}
	return each(ctx, h, folder, folders, "rmdir", "--ignore-fail-on-non-empty", "--")
}

// each runs a program with the names of entries, however many.
func each(ctx context.Context, h module.Host, folder string, entries []tree.Entry, argv ...string) error {
	if len(entries) == 0 {
		return nil
	}
	_, err := h.Run(ctx, module.Command{
		Argv: append([]string{"xargs", "--null"}, argv...), Dir: folder, Stdin: strings.NewReader(tree.Names(entries, "\x00")),
	})
	return err
}
