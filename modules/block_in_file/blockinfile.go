// Package blockinfile is the module "block_in_file": a block of lines between two
// marking lines, in a text file that others write too.
package blockinfile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/textedit"
)

// placeholder is replaced in marker by the word that distinguishes the two lines.
const placeholder = "{mark}"

// Task is a present or absent block of lines in a text file. It stands between
// two marking lines, by which later runs find it; the rest of the file and the block's place
// do not change.
//
// Bytes that are not UTF-8 do not change, and a file whose lines end as on Windows keeps these
// line ends. A file that the cluster does not own is only changed with backup = true.
//
// Errors:
//   - the file is missing and create is not set
//   - the block belongs to another cluster, which has the same marker
//   - one of the marking lines is missing or duplicate, or the end is before the beginning
//   - path is a link, has a zero byte in it, or is longer than 8 MiB
//   - the cluster does not own the file and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	// Block is the text between the marking lines. Needed unless state is "absent".
	Block string `hcl:"block,optional" nonempty:"want the lines that should be there"`
	// Marker is the marking line, with {mark} for "BEGIN" and "END". Each block of a file needs
	// a different one. It must be a comment in the language of the file.
	Marker string `hcl:"marker,optional" default:"# {mark} kinit block"`
	textedit.Arguments
}

func Kind() module.Kind {
	return module.With[Task, textedit.Outputs](module.Kind{Name: "block_in_file"})
}

// Hide marks the lines as sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool { return t.Hides(argument == "block") }

func (t *Task) Validate() error {
	switch {
	case strings.Count(t.Marker, placeholder) != 1 || strings.ContainsAny(t.Marker, "\r\n"):
		return fmt.Errorf("marker is %q, want one line with %s in it once", t.Marker, placeholder)
	case slices.ContainsFunc(content.Split(t.Block), t.marks):
		return errors.New("block has one of its marking lines in it: give another marker")
	}
	return t.Check()
}

func (t *Task) begin() string { return strings.ReplaceAll(t.Marker, placeholder, "BEGIN") }
func (t *Task) end() string   { return strings.ReplaceAll(t.Marker, placeholder, "END") }

func (t *Task) marks(line string) bool { return line == t.begin() || line == t.end() }

// change returns the text as it should be.
func (t *Task) change(text string) (string, error) {
	lines := content.Split(text)
	first, last, err := t.find(lines)
	if err != nil {
		return "", err
	}
	var block []string
	if !t.Absent() {
		block = slices.Concat([]string{t.begin()}, content.Split(t.Block), []string{t.end()})
	}
	switch {
	case first < 0 && block == nil, first >= 0 && slices.Equal(lines[first:last+1], block):
		return text, nil
	case first >= 0:
		return content.Join(slices.Concat(lines[:first], block, lines[last+1:])), nil
	}
	after, err := t.Insert(lines, block...)
	return content.Join(after), err
}

// find returns where the marking lines are, or -1 without any.
func (t *Task) find(lines []string) (first, last int, err error) {
	first, last = slices.Index(lines, t.begin()), slices.Index(lines, t.end())
	marks := 0
	for _, line := range lines {
		if t.marks(line) {
			marks++
		}
	}
	switch {
	case marks == 0:
		return -1, -1, nil
	case marks > 2 || first < 0 || last < first:
		return 0, 0, fmt.Errorf("want %q and %q once each, in this order: repair the marking lines by hand", t.begin(), t.end())
	}
	return first, last, nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	edit := t.Edit(t.change)
	edit.Allowed = t.allowed
	return edit.Plan(ctx, h)
}

// allowed refuses to change the block of another cluster.
func (t *Task) allowed(ctx context.Context, h module.Host, text string) error {
	if !slices.Contains(content.Split(text), t.begin()) {
		return nil
	}
	owner, err := content.Another(ctx, h, t.Path, t.begin())
	if err == nil && owner != "" {
		err = fmt.Errorf("the block that begins with %q belongs to cluster %s: give this one another marker, as in %q", t.begin(), owner, "# {mark} of "+h.Owner())
	}
	return err
}
