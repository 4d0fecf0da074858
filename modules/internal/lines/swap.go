package lines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// swap writes the lines atomically if the file has not changed since it was read. A file
// without lines is removed.
func (f File) swap(ctx context.Context, h module.Host, before state, lines []string) error {
	if slices.Equal(before.lines, lines) {
		return ctx.Err()
	}
	have, err := f.have(ctx, h, before)
	if err != nil {
		return err
	}
	var after *string
	if len(lines) > 0 {
		whole := text(lines)
		after = &whole
	}
	return hostfile.Swap(ctx, h, f.Path, have, after, f.attr(before))
}

// have returns the text of the file that was read. The lines do not show whether the last
// one had an end, so that is looked up.
func (f File) have(ctx context.Context, h module.Host, before state) (*string, error) {
	if !before.there {
		return nil, nil
	}
	have, _, err := hostfile.Read(ctx, h, f.Path)
	if err == nil && !slices.Equal(split(have), before.lines) {
		err = hostfile.ErrChanged
	}
	return &have, err
}

// attr keeps the mode and owner of an existing file.
func (f File) attr(before state) module.Attr {
	if !before.there {
		return f.Attr
	}
	return module.Attr{
		Mode:  before.info.Mode.Perm(),
		Owner: fmt.Sprint(before.info.UID), Group: fmt.Sprint(before.info.GID),
	}
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
	for _, step := range steps {
		err = errors.Join(err, step.Do(ctx, h))
	}
	return err
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
