// Package lines manages single lines in text files of a host with many writers,
// such as /etc/fstab and authorized_keys.
//
// An added line has a mark, so that it can be removed; foreign lines remain, or are
// restored if one of them was replaced. Tasks that edit the same file at the
// same time do not lose each other's lines.
package lines

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"kinit/engine/exactjson"
	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// Mark is the kind of the mark of a line. Its ID is the file's path, ": " and the
// line; its Prior contains the foreign lines that it replaced, in JSON.
const Mark = "line"

// File is a text file that others also edit.
type File struct {
	Path string
	Attr module.Attr // of a new file
	// Replaces permits replacing foreign lines. They are restored when the
	// line is removed.
	Replaces bool
	// Show adds the difference to the step. It is off if each edit gives
	// another text, as a salted hash does.
	Show bool
}

// Edit computes the wanted lines from the current ones, both without line ends. It must
// not change lines that it does not know, nor the slice it was given.
type Edit func(have []string) []string

// Plan returns the step that sets the lines that the edit returns.
func (f File) Plan(ctx context.Context, h module.Host, title string, edit Edit) ([]module.Step, error) {
	return f.plan(ctx, h, title, change{file: f, edit: edit})
}

// PlanAbsent is Plan for an edit that removes lines, and restores the lines that they had
// replaced. On a host with an owner, a file whose lines may be replaced silently keeps foreign
// ones; in another file, they are an error.
func (f File) PlanAbsent(ctx context.Context, h module.Host, title string, edit Edit) ([]module.Step, error) {
	return f.plan(ctx, h, title, change{file: f, edit: edit, absent: true})
}

func (f File) plan(ctx context.Context, h module.Host, title string, c change) ([]module.Step, error) {
	before, err := f.read(ctx, h)
	if err != nil {
		return nil, err
	}
	after, err := c.decide(before)
	if err != nil || slices.Equal(before.lines, after.lines) {
		return nil, err
	}
	if f.Show {
		title += "\n" + h.Redact(content.Diff(f.Path, []byte(content.Join(before.lines)), []byte(content.Join(after.lines))))
	}
	return module.OneStep(title, c.do), nil
}

// state is the current state of a file.
type state struct {
	owner  string  // of what is made on the host
	text   *string // nil without a file
	lines  []string
	attr   module.Attr      // to keep, or of a new file
	marked map[string]prior // the owner's lines
}

// prior is the content of a line's mark.
type prior struct {
	Replaced []string `json:"replaced"`
}

func (f File) read(ctx context.Context, h module.Host) (state, error) {
	s := state{owner: h.Owner(), attr: f.Attr, marked: map[string]prior{}}
	info, err := h.Files().Stat(ctx, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, f.readMarks(ctx, h, &s)
	case err != nil:
		return s, fmt.Errorf("stat %s: %w", f.Path, err)
	case info.Mode.Type() == fs.ModeSymlink:
		return s, fmt.Errorf("%s is a link to %s, want a file: work on that one", f.Path, info.Target)
	case !info.Mode.IsRegular():
		return s, fmt.Errorf("%s is no regular file, want a text file", f.Path)
	}
	if s.text, err = hostfile.Text(ctx, h, f.Path); err != nil {
		return s, err
	}
	if s.text != nil {
		s.lines = content.Split(*s.text)
		s.attr = module.Attr{Mode: info.Mode.Perm(), Owner: fmt.Sprint(info.UID), Group: fmt.Sprint(info.GID)}
	}
	return s, f.readMarks(ctx, h, &s)
}

func (f File) readMarks(ctx context.Context, h module.Host, s *state) error {
	marks, err := h.Marks(ctx)
	if err != nil {
		return fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	for _, mark := range marks {
		line, ours := strings.CutPrefix(mark.ID, f.Path+": ")
		if mark.Kind != Mark || !ours {
			continue
		}
		var was prior
		if mark.Prior != "" {
			if err := exactjson.Unmarshal([]byte(mark.Prior), &was); err != nil {
				return fmt.Errorf("the mark of line %s does not say what it replaced: %w", mark.ID, err)
			}
		}
		s.marked[line] = was
	}
	return nil
}

func (f File) mark(line string) module.Mark { return module.Mark{Kind: Mark, ID: f.Path + ": " + line} }
