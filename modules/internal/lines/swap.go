package lines

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// swap writes the lines atomically if the file has not changed since it was read. A file
// without lines is removed.
func (f File) swap(ctx context.Context, h module.Host, before state, lines []string) error {
	if slices.Equal(before.lines, lines) {
		return ctx.Err()
	}
	var after *string
	if len(lines) > 0 {
		text := content.Join(lines)
		after = &text
	}
	return hostfile.Swap(ctx, h, f.Path, before.text, after, before.attr)
}

// Undo removes a line by its mark, for clean-up, and restores the line that it replaced.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	name, line, found := strings.Cut(mark.ID, ": ")
	if !found {
		return errors.New("the mark does not name a file and a line")
	}
	steps, err := File{Path: name}.PlanAbsent(ctx, h, "", func(have []string) []string {
		return without(have, []string{line})
	})
	if err != nil {
		return err
	}
	return module.DoAll(ctx, h, steps)
}

// PathOf returns the file of a mark.
func PathOf(mark module.Mark) string {
	name, _, _ := strings.Cut(mark.ID, ": ")
	return name
}

// Marks returns the kind of marks of lines.
func Marks() module.MarkKind {
	return module.NewMarkKind(Mark, "line", Undo, module.MarkTraits{File: PathOf})
}
