package content

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/ownership"
)

// editKind is the kind of the mark of what an owner's edits have changed in a foreign file. Its ID is the file's path,
// ": " and a hash; its Prior is the patch, in JSON.
const editKind = "edit"

// longestPatch is the most bytes of a patch. A file with a longer one is restored as a whole.
const longestPatch = 64 << 10

// Edits are the kind of marks of edits. Several owners edit the same file: each takes out its own lines, and those that others
// have written since stay.
func Edits() module.MarkKind {
	return module.NewMarkKind(editKind, "edit", undoEdit, module.MarkTraits{File: edited, Text: func(mark module.Mark) string {
		return "take the cluster's lines out of " + edited(mark)
	}})
}

// edited returns the path of the file of an edit.
func edited(mark module.Mark) string { return mark.ID[:max(0, strings.LastIndex(mark.ID, ": "))] }

// editsOf returns the owner's edits of a file: one, or two after an interrupt.
func editsOf(ctx context.Context, h module.Host, path string) ([]module.Mark, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	marks, err := h.Marks(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	return slices.DeleteFunc(slices.Clone(marks), func(m module.Mark) bool { return m.Kind != editKind || edited(m) != path }), nil
}

func forget(ctx context.Context, h module.Host, marks []module.Mark) error {
	for _, mark := range marks {
		if err := h.Disown(ctx, mark); err != nil {
			return err
		}
	}
	return nil
}

// track records what the edits of a foreign file have changed when the new content is written, and returns the marks that
// do not count then. Whole files and files that the owner made have no such marks: they are restored or removed as a whole.
func (f File) track(ctx context.Context, h module.Host, s state) ([]module.Mark, error) {
	earlier, err := editsOf(ctx, h, f.Path)
	if err != nil || f.Edited == nil || h.Owner() == "" || !s.exists {
		return earlier, err
	}
	if len(earlier) == 0 {
		first, err := f.untouched(ctx, h, s)
		if err != nil || !first {
			return nil, err
		}
	}
	without := Split(*f.Edited)
	for _, mark := range slices.Backward(earlier) {
		p, err := patchOf(mark)
		if err != nil {
			return nil, err
		}
		without = p.undo(without)
	}
	made := between(without, Split(string(f.Source.Text)))
	prior, err := exactjson.Marshal(made)
	if err != nil || len(prior) > longestPatch {
		return earlier, err
	}
	mark := module.Mark{Kind: editKind, ID: fmt.Sprintf("%s: %x", f.Path, sha256.Sum256(prior))[:len(f.Path)+18], Prior: string(prior)}
	earlier = slices.DeleteFunc(earlier, func(m module.Mark) bool { return m.ID == mark.ID })
	return earlier, h.Own(ctx, mark)
}

// untouched reports whether the owner has written nothing into a foreign file yet: it has no mark, or was interrupted before
// it wrote.
func (f File) untouched(ctx context.Context, h module.Host, s state) (bool, error) {
	if s.mark.ID == "" || s.mark.Prior == "" {
		return s.mark.ID == "", nil
	}
	kept, there, err := hostfile.Read(ctx, h, f.Path+backupSuffix)
	return !there || slices.Equal(Split(kept), Split(*f.Edited)), err
}

// Another returns the other owner that a line of a file may be of: it edits the file, and this owner has not added the
// line; else "".
func Another(ctx context.Context, h module.Host, path, line string) (string, error) {
	if h.Owner() == "" {
		return "", nil
	}
	_, ours, err := ownership.Of(ctx, h, path)
	if err != nil {
		return "", err
	}
	edits, err := editsOf(ctx, h, path)
	if err != nil || ours && len(edits) == 0 { // the whole file, or edits of which nothing is recorded
		return "", err
	}
	for _, mark := range edits {
		p, err := patchOf(mark)
		if err != nil || p.adds(line) || p.adds(line+"\r") {
			return "", err
		}
	}
	others, err := manifest.ReadOthers(ctx, h)
	return others.Owner(hostfile.FileKind, path), err
}

func patchOf(mark module.Mark) (patch, error) {
	return ownership.Was(mark, edited(mark), func(patch) bool { return true })
}

// undoEdit takes the owner's lines out of a file. If others have changed the file too, its backup is not restored, but
// removed with the last owner's lines.
func undoEdit(ctx context.Context, h module.Host, mark module.Mark) error {
	path := edited(mark)
	p, err := patchOf(mark)
	if err != nil {
		return err
	}
	info, there, err := hostfile.Look(ctx, h, path)
	if err != nil || !there || !info.Mode.IsRegular() {
		return err
	}
	before, err := ReadAll(ctx, h, path)
	if err != nil {
		return err
	}
	have := Split(string(before))
	left := p.undo(have)
	if !slices.Equal(have, left) {
		if err := hostfile.Write(ctx, h, path, Join(left), module.Attr{}); err != nil {
			return err
		}
	}
	return dropBackup(ctx, h, mark, left)
}

// dropBackup removes the backup of a file if no owner has edits of the file any more but this one, and restoring the backup
// would lose foreign lines.
func dropBackup(ctx context.Context, h module.Host, mark module.Mark, left []string) error {
	path := edited(mark)
	kept, err := ReadAll(ctx, h, path+backupSuffix)
	if errors.Is(err, fs.ErrNotExist) || err == nil && slices.Equal(Split(string(kept)), left) {
		return nil
	}
	if err != nil {
		return err
	}
	own, err := editsOf(ctx, h, path)
	if err != nil || len(own) > 1 {
		return err
	}
	others, err := manifest.ReadOthers(ctx, h)
	if err != nil || others.Owner(hostfile.FileKind, path) != "" {
		return err
	}
	return h.Files().Remove(ctx, path+backupSuffix)
}
