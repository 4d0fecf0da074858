package lines

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// change is an edit of a file to make.
type change struct {
	file   File
	edit   Edit
	absent bool
}

// result is the outcome of a change.
type result struct {
	lines   []string
	added   []string // to be marked
	removed []string // whose marks are removed
	prior   prior    // the lines that the added ones replace
}

func (c change) decide(s state) (result, error) {
	want := c.edit(slices.Clone(s.lines))
	if s.owner == "" {
		return result{lines: want}, nil
	}
	r := result{added: without(want, s.lines), removed: without(s.lines, want)}
	foreign := slices.DeleteFunc(slices.Clone(r.removed), func(line string) bool {
		_, ours := s.marked[line]
		return ours
	})
	switch {
	case len(foreign) == 0:
	case c.file.Replaces && c.absent:
		want = without(s.lines, without(r.removed, foreign))
		r.removed = without(r.removed, foreign)
	case !c.file.Replaces || len(r.added) == 0:
		return r, &module.NotOwnedError{ID: c.file.mark(foreign[0]).ID, Kinds: []string{Mark}, Advice: foreign[0] + ": remove it yourself if nothing needs it",
			Text: fmt.Sprintf("%s has a line that is not owned by cluster %s", c.file.Path, s.owner)}
	default:
		r.prior.Replaced = foreign
	}
	for _, line := range r.removed {
		was := s.marked[line].Replaced
		if len(r.added) > 0 {
			r.prior.Replaced = append(r.prior.Replaced, was...)
			continue
		}
		want = append(want, without(was, want)...)
	}
	r.lines = want
	return r, nil
}

// without lists the lines that are in one list and not in another.
func without(lines, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(drop, line) })
}

// do changes the current file, with its marks.
func (c change) do(ctx context.Context, h module.Host) error {
	return hostfile.Retry(c.file.Path, func() error {
		before, err := c.file.read(ctx, h)
		if err != nil {
			return err
		}
		after, err := c.decide(before)
		if err != nil {
			return err
		}
		if err := c.mark(ctx, h, after); err != nil {
			return err
		}
		if err := c.file.swap(ctx, h, before, after.lines); err != nil {
			return fmt.Errorf("write %s: %w", c.file.Path, err)
		}
		for _, line := range after.removed {
			if err := h.Disown(ctx, c.file.mark(line)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c change) mark(ctx context.Context, h module.Host, r result) error {
	for i, line := range r.added {
		mark := c.file.mark(line)
		if i == len(r.added)-1 && len(r.prior.Replaced) > 0 { // the replaced lines are restored once, for the new line
			was, err := exactjson.Marshal(r.prior)
			if err != nil {
				return err
			}
			mark.Prior = string(was)
		}
		if err := h.Own(ctx, mark); err != nil {
			return err
		}
	}
	return nil
}
