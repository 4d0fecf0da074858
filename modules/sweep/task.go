// Package sweep is the module sweep: it undoes the changes that a cluster's manifest on a
// host records.
//
// Objects that can store a mark themselves, such as domains, switches and
// containers, are removed by the sweep modules for those objects.
package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/pathmark"
	"kinit/modules/internal/seen"
)

// Task undoes the cluster's marks on the host, the last first. An object that
// another cluster has also marked remains. Settings of the host (services, kernel
// parameters, packages) and files below /var/lib/kinit/shared that another cluster
// may use are handed over to that cluster, whose own sweep then undoes them.
//
// A run removes disks, files that were edited since kinit wrote them, folders below /var/lib/kinit with
// files that it has not written, checkouts with work in them, unpacked archives with edited files, and
// file systems in memory with files only if --remove names them, or an answer on the terminal; with all,
// the task says itself what it removes.
//
// A folder that kinit made elsewhere, and that has other files in it, stays. While the owner has other objects on
// the host, its mark stays too, and a later sweep removes the folder once it is empty. With all, kinit
// notes the folder in /var/lib/kinit/left, and a later sweep with all does the same.
//
// Errors:
//   - a removal is not named; the task has changed nothing
//   - an object cannot be undone; its mark remains, so that the next run tries again
type Task struct {
	// All undoes everything of the cluster, including the names in keep, and removes its manifest.
	All bool `hcl:"all,optional"`
	// Purge also undoes objects that are kept for later clusters: packages, downloaded images.
	Purge bool `hcl:"purge,optional"`
	// Keep are the paths and names of objects that remain. Default none.
	Keep []string `hcl:"keep,optional"`
	// Kinds are the kinds of marks that are undone and counted, such as "netns". Default all.
	Kinds []string `hcl:"kinds,optional"`

	marks   []module.MarkKind // the kinds that are undone
	seen    seen.Reading[state]
	message string
}

func Kind(kinds []module.MarkKind) module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "sweep", Sweeps: true, New: func() module.Task { return &Task{marks: kinds} }})
}

func (t *Task) Validate() error {
	names := lists.Map(t.marks, func(one module.MarkKind) string { return one.Name })
	for _, kind := range t.Kinds {
		if !slices.Contains(names, kind) {
			slices.Sort(names)
			return fmt.Errorf("kinds has %q, want some of %s", kind, strings.Join(names, ", "))
		}
	}
	return nil
}

// state is the content of the host's manifests.
type state struct {
	marks    []module.Mark // of the owner, in the order they were made
	foreign  []module.Mark // below the owner's name, of another instance
	others   manifest.Others
	manifest bool                 // the folder of the owner's manifest exists
	data     map[module.Mark]bool // marks whose objects hold data
	empty    bool                 // the folder of all manifests exists, with nothing in it
	held     map[string][]string  // marked folders that stay, with their marks, and the other paths in them
	behind   behind               // what earlier clean-ups have left
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if err := ctx.Err(); err != nil || h.Owner() == "" {
		return s, err
	}
	if s.marks, err = h.Marks(ctx); err != nil {
		return s, err
	}
	if s.manifest, err = manifest.Exists(ctx, h, h.Owner()); err != nil {
		return s, err
	}
	switch {
	case t.All && s.manifest:
		s.foreign, err = manifest.Strangers(ctx, h)
	case t.All:
		s.empty, err = manifest.IsEmpty(ctx, h)
	}
	if err != nil {
		return s, err
	}
	t.message = strangers(h, s.foreign)
	if s.behind, err = t.readBehind(ctx, h); err != nil {
		return s, err
	}
	if len(t.doomed(s)) > 0 {
		if s.others, err = manifest.ReadOthers(ctx, h); err != nil {
			return s, err
		}
		if s.held, err = t.holders(ctx, h, s); err != nil {
			return s, err
		}
	}
	t.message = strings.TrimPrefix(t.message+staying(h, s), "\n")
	if len(t.doomed(s)) == 0 {
		return s, nil
	}
	if err := t.refusal(ctx, h, s); err != nil {
		return s, err
	}
	return s, t.holding(ctx, h, &s)
}

// refusal returns why objects cannot be removed that nobody else has, before anything is removed.
func (t *Task) refusal(ctx context.Context, h module.Host, s state) error {
	var all []error
	for _, mark := range t.doomed(s) {
		kind, _ := t.find(mark.Kind)
		if kind.Refusal == nil || s.others.Owner(mark.Kind, mark.ID) != "" || heir(kind, mark, s.others) != "" {
			continue
		}
		if err := kind.Refusal(ctx, h, mark); err != nil {
			all = append(all, fmt.Errorf("remove %s %s: %w", kind.Noun, mark.ID, err))
		}
	}
	return errors.Join(all...)
}

// holding finds out which objects that would be removed hold data. If all of the owner's are, the arguments say so, and
// the list is not needed.
func (t *Task) holding(ctx context.Context, h module.Host, s *state) error {
	s.data = map[module.Mark]bool{}
	if t.All {
		return nil
	}
	for _, mark := range t.doomed(*s) {
		kind, _ := t.find(mark.Kind)
		if kind.Data == nil {
			continue
		}
		holds, err := kind.Data(ctx, h, mark)
		if err != nil {
			return err
		}
		s.data[mark] = holds
	}
	return nil
}

// strangers reports marks of another instance that remain, with their objects.
func strangers(h module.Host, marks []module.Mark) string {
	texts := lists.Map(marks, func(mark module.Mark) string { return ownership.LeftAlone(h, mark.Kind+" "+mark.ID) })
	return strings.Join(texts, "\n")
}

// MessageText returns the objects that another cluster with the same name has marked.
func (t *Task) MessageText() string { return t.message }

// doomed lists the marks to undo, the last first.
func (t *Task) doomed(s state) []module.Mark {
	var doomed []module.Mark
	for _, mark := range slices.Backward(s.marks) {
		if !t.covers(mark.Kind) || t.stays(mark) || !t.handles(mark.Kind) || s.isHeld(mark) {
			continue
		}
		doomed = append(doomed, mark)
	}
	return doomed
}

func (t *Task) covers(kind string) bool { return len(t.Kinds) == 0 || slices.Contains(t.Kinds, kind) }

func (t *Task) stays(mark module.Mark) bool {
	return mark.Keep && !t.Purge || !t.All && slices.Contains(t.Keep, mark.ID)
}

// handles reports whether this module undoes marks of the kind. Marks for other sweep
// modules are left to them, unless everything is removed: then only those that they could
// not find remain.
func (t *Task) handles(kind string) bool {
	one, found := t.find(kind)
	return found && (t.All || !one.LastResort)
}

func (t *Task) find(kind string) (module.MarkKind, bool) {
	i := slices.IndexFunc(t.marks, func(one module.MarkKind) bool { return one.Name == kind })
	if i < 0 {
		return module.MarkKind{}, false
	}
	return t.marks[i], true
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	return t.seen.After(s, t.decide(h, s)), nil
}

func (t *Task) decide(h module.Host, s state) []module.Step {
	var steps []module.Step
	doomed := t.doomed(s)
	for _, mark := range doomed {
		kind, _ := t.find(mark.Kind)
		steps = append(steps, t.step(kind, mark, s))
	}
	if step := t.retry(s, doomed); step != nil {
		steps = append(steps, step)
	}
	if last := t.forgetAll(h, s, doomed); last != nil {
		steps = append(steps, last)
	}
	return steps
}

// step undoes one mark, or hands it over.
func (t *Task) step(kind module.MarkKind, mark module.Mark, s state) module.Step {
	others := s.others
	if owner := others.Owner(mark.Kind, mark.ID); owner != "" {
		return module.NewStep(fmt.Sprintf("leave %s %s to cluster %s, which has it too", kind.Noun, mark.ID, owner), func(ctx context.Context, h module.Host) error {
			return h.Disown(ctx, mark)
		})
	}
	if owner := heir(kind, mark, others); owner != "" {
		text := fmt.Sprintf("hand %s %s over to cluster %s", kind.Noun, mark.ID, owner)
		return module.NewStep(text, func(ctx context.Context, h module.Host) error {
			if err := manifest.HandOver(ctx, h, mark, owner); err != nil {
				return err
			}
			return h.Disown(ctx, mark)
		})
	}
	undo := func(ctx context.Context, h module.Host) error {
		if err := kind.Undo(ctx, h, mark); err != nil {
			return fmt.Errorf("undo %s %s: %w", kind.Noun, mark.ID, err)
		}
		if kind.File != nil {
			if err := hostfile.DropTemporaries(ctx, h, kind.File(mark)); err != nil {
				return err
			}
		}
		if kind.Folder {
			if stays, err := t.keepOrNote(ctx, h, mark, s); err != nil || stays {
				return err
			}
		}
		return h.Disown(ctx, mark)
	}
	if s.data[mark] {
		return module.NewRemoval(kind.Describe(mark), module.Removed{Kind: cmp.Or(kind.DataNoun, kind.Noun), Name: mark.ID}, undo)
	}
	return module.NewStep(kind.Describe(mark), undo)
}

// heir returns the cluster that owns an object next: one that uses the object, or has
// objects in it if it is a folder; "" if there is none.
func heir(kind module.MarkKind, mark module.Mark, others manifest.Others) string {
	if kind.Shared || manifest.IsShared(mark.ID) {
		return others.Any()
	}
	if kind.Folder {
		return others.Below(mark.ID)
	}
	return ""
}

// left lists marked objects that should be gone: those that this module undoes, and
// those that no module undoes.
func (t *Task) left(s state) []string {
	var names []string
	for _, mark := range s.marks {
		if t.covers(mark.Kind) && !t.stays(mark) && !s.isHeld(mark) && (t.All || t.handles(mark.Kind)) {
			names = append(names, mark.Kind+" "+mark.ID)
		}
	}
	return names
}

type Outputs struct {
	Count int      `cty:"count"` // number of objects that are left
	Names []string `cty:"names"` // their names
	Kept  []string `cty:"kept"`  // objects that remain until all is purged
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, h) })
	if err != nil {
		return Outputs{}, err
	}
	var kept []string
	for _, mark := range s.marks {
		if t.covers(mark.Kind) && mark.Keep && !t.Purge {
			kept = append(kept, mark.Kind+" "+mark.ID)
		}
	}
	left := t.left(s)
	return Outputs{Count: len(left), Names: left, Kept: kept}, nil
}

// forgetAll returns the last step of a complete removal: it removes the manifest itself,
// with the marks of remaining objects, or the empty folder that an interrupted removal left.
// It is nil while there are marks that no module undoes.
func (t *Task) forgetAll(h module.Host, s state, doomed []module.Mark) module.Step {
	if s.empty && len(s.marks) == 0 {
		return module.NewStep("remove the empty folder of manifests", func(ctx context.Context, h module.Host) error {
			return manifest.Remove(ctx, h, false)
		})
	}
	if !t.All || len(s.foreign) > 0 || !s.manifest && len(s.marks) == 0 {
		return nil
	}
	var kept []module.Mark
	for _, mark := range s.marks {
		switch {
		case slices.Contains(doomed, mark):
		case t.stays(mark):
			kept = append(kept, mark)
		default:
			return nil
		}
	}
	own := manifest.Of(h.Owner())
	stays := s.others.Below(own) != "" || pathmark.Below(kept, own)
	return module.NewStep("remove the manifest of cluster "+h.Owner()+stayText(kept), func(ctx context.Context, h module.Host) error {
		for _, mark := range kept {
			if err := h.Disown(ctx, mark); err != nil {
				return err
			}
		}
		return manifest.Remove(ctx, h, stays)
	})
}

func stayText(kept []module.Mark) string {
	if len(kept) == 0 {
		return ""
	}
	names := lists.Map(kept, func(mark module.Mark) string { return mark.Kind + " " + mark.ID })
	return "; these stay: " + strings.Join(names, ", ")
}
