// Package sweep is the module sweep: it undoes what a cluster's manifest on a
// host says kinit has made or changed there.
//
// What has a place of its own for a mark, such as domains, switches and
// containers, is swept by the modules of those things.
package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/seen"
)

// Task undoes the cluster's marks on the host, the last first. A thing that
// another cluster has marked too stays. Settings of the host (services, kernel
// parameters, packages) and files below /var/lib/kinit/shared, which another cluster
// on it may rely on, are handed over to that one, which then undoes them when it goes.
//
// Outputs:
//   - count: things that are still there and should not be
//   - names: their names
//   - kept: what stays until all is purged
//
// Errors:
//   - a thing cannot be undone; its mark stays, so that the next run tries again
type Task struct {
	// All undoes everything of the cluster, whatever keep says, and removes its manifest. Default false.
	All bool `hcl:"all,optional"`
	// Purge also undoes what is to be kept for later clusters: packages, downloaded images. Default false.
	Purge bool `hcl:"purge,optional"`
	// Keep are the paths and names of what stays. Default none.
	Keep []string `hcl:"keep,optional"`
	// Kinds are the kinds of marks that are undone and counted, such as "netns". Default all.
	Kinds []string `hcl:"kinds,optional"`

	seen seen.Reading[state]
	told string
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "sweep", New: func() module.Task { return &Task{} }}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	var names []string
	for _, one := range kinds() {
		names = append(names, one.name)
	}
	for _, kind := range t.Kinds {
		if !slices.Contains(names, kind) {
			slices.Sort(names)
			return fmt.Errorf("kinds has %q, want some of %s", kind, strings.Join(names, ", "))
		}
	}
	return nil
}

// state is what the manifests of the host say.
type state struct {
	marks    []module.Mark // of the owner, in the order they were made
	foreign  []module.Mark // below the owner's name, of another instance
	others   manifest.Others
	manifest bool // the folder of the owner's manifest is there
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
	if t.All && s.manifest {
		if s.foreign, err = manifest.Strangers(ctx, h); err != nil {
			return s, err
		}
	}
	t.told = strangers(h, s.foreign)
	if len(t.doomed(s)) == 0 {
		return s, nil
	}
	s.others, err = manifest.ReadOthers(ctx, h)
	return s, err
}

// strangers says that marks of another instance stay, with what they are of.
func strangers(h module.Host, marks []module.Mark) string {
	texts := make([]string, len(marks))
	for i, mark := range marks {
		texts[i] = claim.LeftAlone(h, mark.Kind+" "+mark.ID)
	}
	return strings.Join(texts, "\n")
}

// Tells names what another cluster of the name has marked.
func (t *Task) Tells() string { return t.told }

// doomed lists the marks to undo, the last first.
func (t *Task) doomed(s state) []module.Mark {
	var doomed []module.Mark
	for _, mark := range slices.Backward(s.marks) {
		if !t.covers(mark.Kind) || t.stays(mark) || !t.handles(mark.Kind) {
			continue
		}
		doomed = append(doomed, mark)
	}
	return doomed
}

// covers tells whether marks of the kind are looked at.
func (t *Task) covers(kind string) bool { return len(t.Kinds) == 0 || slices.Contains(t.Kinds, kind) }

func (t *Task) stays(mark module.Mark) bool {
	return mark.Keep && !t.Purge || !t.All && slices.Contains(t.Keep, mark.ID)
}

// handles tells whether marks of the kind are this module's. What other sweeps
// remove is left to them, unless everything goes: then it is only what they could
// not find.
func (t *Task) handles(kind string) bool {
	for _, one := range kinds() {
		if one.name == kind {
			return t.All || !one.lastResort
		}
	}
	return false
}

// Plan lists what is to be undone.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	return t.seen.After(s, t.decide(h, s)), nil
}

// decide looks at data alone.
func (t *Task) decide(h module.Host, s state) []module.Step {
	var steps []module.Step
	doomed := t.doomed(s)
	for _, mark := range doomed {
		steps = append(steps, step(mark, s.others))
	}
	if last := t.forgetAll(h, s, doomed); last != nil {
		steps = append(steps, last)
	}
	return steps
}

// step undoes one mark, or gives it away.
func step(mark module.Mark, others manifest.Others) module.Step {
	handler := find(mark.Kind)
	if owner := others.Owner(mark.Kind, mark.ID); owner != "" {
		return module.NewStep(fmt.Sprintf("leave %s %s to cluster %s, which has it too", handler.noun, mark.ID, owner), forget(mark))
	}
	if owner := heir(handler, mark, others); owner != "" {
		text := fmt.Sprintf("hand %s %s over to cluster %s", handler.noun, mark.ID, owner)
		return module.NewStep(text, func(ctx context.Context, h module.Host) error {
			if err := manifest.HandOver(ctx, h, mark, owner); err != nil {
				return err
			}
			return h.Disown(ctx, mark)
		})
	}
	return module.NewStep(handler.text(mark), func(ctx context.Context, h module.Host) error {
		if err := handler.undo(ctx, h, mark); err != nil {
			return fmt.Errorf("undo %s %s: %w", handler.noun, mark.ID, err)
		}
		if handler.file != nil {
			if err := hostfile.DropTemporaries(ctx, h, handler.file(mark)); err != nil {
				return err
			}
		}
		return h.Disown(ctx, mark)
	})
}

// heir is the other cluster that a thing is handed over to: one that relies on it, or
// has something in the folder that it is. It is empty where there is none.
func heir(handler handler, mark module.Mark, others manifest.Others) string {
	if handler.shared || manifest.IsShared(mark.ID) {
		return others.Any()
	}
	if handler.name == hostfile.DirectoryKind {
		return others.Below(mark.ID)
	}
	return ""
}

func forget(mark module.Mark) func(context.Context, module.Host) error {
	return func(ctx context.Context, h module.Host) error { return h.Disown(ctx, mark) }
}

// left lists what is still marked and should not be: what this module undoes, and
// what nobody does.
func (t *Task) left(s state) []string {
	var names []string
	for _, mark := range s.marks {
		if t.covers(mark.Kind) && !t.stays(mark) && (t.All || t.handles(mark.Kind)) {
			names = append(names, mark.Kind+" "+mark.ID)
		}
	}
	return names
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"count": cty.Number, "names": cty.List(cty.String), "kept": cty.List(cty.String)}
}

// Outputs reads the manifest again.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, h) })
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, mark := range s.marks {
		if t.covers(mark.Kind) && mark.Keep && !t.Purge {
			kept = append(kept, mark.Kind+" "+mark.ID)
		}
	}
	left := t.left(s)
	return map[string]cty.Value{
		"count": cty.NumberIntVal(int64(len(left))), "names": texts(left), "kept": texts(kept),
	}, nil
}

func texts(all []string) cty.Value {
	if len(all) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	values := make([]cty.Value, len(all))
	for i, text := range all {
		values[i] = cty.StringVal(text)
	}
	return cty.ListVal(values)
}

var (
	_ module.Messenger = (*Task)(nil)
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
