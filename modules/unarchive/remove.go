package unarchive

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// remove removes the entries of the manifests and, if nothing else is in it, the folder
// that was made for them.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || len(s.going) == 0 {
		return err
	}
	if err := t.takeAway(ctx, h, s); err != nil || len(s.others) > 0 {
		return err
	}
	return ownership.Release(ctx, h, t.Dest, "tree")
}

// takeAway removes the entries of the manifests that still have their type, except those of other archives.
func (t *Task) takeAway(ctx context.Context, h module.Host, s state) error {
	here, shared := byPath(s.here), shared(s.others)
	var ours []tree.Entry
	for _, m := range s.going {
		for _, e := range m.Unpacked {
			if here[e.Path].Type == e.Type && len(shared[e.Path]) == 0 {
				ours = append(ours, e)
			}
		}
	}
	if err := tree.Remove(ctx, h, t.Dest, ours); err != nil {
		return err
	}
	if len(s.others) > 0 {
		return t.forget(ctx, h, s)
	}
	return t.tidy(ctx, h, madeDest(s.going))
}

// forget removes the manifests of some archives, and keeps all other manifests.
func (t *Task) forget(ctx context.Context, h module.Host, s state) error {
	for name := range s.going {
		if err := h.Files().Remove(ctx, path.Join(t.Dest, name)); err != nil {
			return err
		}
	}
	return nil
}

// tidy removes the module's own files, and the folder if it was made for them and
// is empty.
func (t *Task) tidy(ctx context.Context, h module.Host, made bool) error {
	all, err := h.Files().List(ctx, t.Dest)
	if err != nil {
		return err
	}
	others := 0
	for _, file := range all {
		if !strings.HasPrefix(file.Name, hiddenName) {
			others++
			continue
		}
		if err := h.Files().Remove(ctx, path.Join(t.Dest, file.Name)); err != nil {
			return err
		}
	}
	if !made || others > 0 {
		return nil
	}
	return h.Files().Remove(ctx, t.Dest)
}

// Undo removes the unpacked entries from the folder of a mark, for clean-up. After an
// interrupted unpacking there is no manifest, only the module's own files.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	t := &Task{Dest: mark.ID, Presence: module.Presence{State: "absent"}}
	info, there, err := hostfile.Look(ctx, h, t.Dest)
	if err != nil || !there {
		return err
	}
	if !info.Mode.IsDir() {
		return fmt.Errorf("%s is no folder any more: remove it yourself if nothing needs it", t.Dest)
	}
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if len(s.going) > 0 {
		return t.takeAway(ctx, h, s)
	}
	return t.tidy(ctx, h, true)
}

// Tree returns the kind of marks of a checkout, or of an unpacked archive.
func Tree() module.MarkKind {
	return module.NewMarkKind("tree", "tree", undoTree, module.MarkTraits{Data: holdsWork})
}

// undoTree removes a checkout with all its content, or the unpacked entries of an archive.
func undoTree(ctx context.Context, h module.Host, mark module.Mark) error {
	checkout, err := isCheckout(ctx, h, mark.ID)
	if err != nil {
		return err
	}
	if checkout {
		return h.Files().Remove(ctx, mark.ID)
	}
	return Undo(ctx, h, mark)
}

// placeEach moves the unpacked entries into the folder, one after the other.
func (t *Task) placeEach(ctx context.Context, h module.Host, parts string, kept []tree.Entry) error {
	unpacked, err := tree.List(ctx, h, parts) // with the owners that were given
	if err != nil {
		return err
	}
	drop := byPath(kept)
	var changes, attributes []tree.Change
	for _, e := range unpacked {
		placed := stripped([]tree.Entry{e}, t.Strip)
		if _, is := drop[e.Path]; is || len(placed) == 0 {
			continue
		}
		name := placed[0].Path
		if e.Type == "d" {
			changes = append(changes, tree.Folder(name))
			attributes = append(attributes, tree.Attributes(name, e))
			continue
		}
		changes = append(changes, tree.Place(name, e.Path))
	}
	slices.Reverse(attributes) // a folder changes its owner after its content
	if err := tree.Apply(ctx, h, t.Dest, parts, append(changes, attributes...)); err != nil {
		return fmt.Errorf("put what was unpacked in place in %s: %w", t.Dest, err)
	}
	return nil
}
