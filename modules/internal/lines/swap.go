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

// swap writes the lines in one go if the file is still as it was read. A file
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

// have is the text of the file that was read. The lines do not say whether the last
// one had an end, so that it is looked up.
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

// attr keeps the mode and owner of a file that is there.
func (f File) attr(before state) module.Attr {
	if !before.there {
		return f.Attr
	}
	return module.Attr{
		Mode:  before.info.Mode.Perm(),
		Owner: fmt.Sprint(before.info.UID), Group: fmt.Sprint(before.info.GID),
	}
}

// Undo removes a line by its mark, for clean-up, and brings back what it replaced.
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

// PathOf is the file of a mark.
func PathOf(mark module.Mark) string {
	name, _, _ := strings.Cut(mark.ID, ": ")
	return name
}
