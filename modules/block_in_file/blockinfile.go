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
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/textedit"
)

// placeholder is replaced in marker by the word that distinguishes the two lines.
const placeholder = "{mark}"

// Task is a present or absent block of lines in a text file. It stands between
// two marking lines, by which later runs find it; the rest of the file and the block's place
// do not change.
//
// A file that the cluster does not own is only changed with backup = true.
//
// Errors:
//   - the file is missing and create is not set
//   - one of the marking lines is missing or duplicate, or the end is before the beginning
//   - path is a link, not UTF-8 text, or longer than 8 MiB
//   - the cluster does not own the file and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	// Path is the absolute path of the file.
	Path string `hcl:"path"`
	// Block is the text between the marking lines. Needed unless state is "absent".
	Block string `hcl:"block,optional"`
	// Marker is the marking line, with {mark} for "BEGIN" and "END". Each block of a file needs
	// a different one. It must be a comment in the language of the file.
	Marker string `hcl:"marker,optional" default:"# {mark} kinit block"`
	// InsertAfter is a regular expression: a new block is put after the last line that
	// matches it, or at the end.
	InsertAfter string `hcl:"insert_after,optional"`
	// InsertBefore is a regular expression: a new block is put before the first line
	// that matches it, or at the end. "^" is the beginning of the file.
	InsertBefore string `hcl:"insert_before,optional"`
	// State is "present" or "absent".
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`
	// Create makes a missing file. Its folder must exist.
	Create bool `hcl:"create,optional"`
	// Mode is the permission bits of the file, such as "0644". Default: unchanged,
	// "0644" for a new file, "0600" for a secret one.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: unchanged.
	Group string `hcl:"group,optional"`
	// Secret hides the file's content. It is also hidden if the block is sensitive.
	Secret bool `hcl:"secret,optional"`
	// Backup saves the file from before kinit as <path>.kinit-backup. On a host that belongs
	// to a cluster, cleanup restores it.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that checks the new content, as in ["named-checkconf", "%s"];
	// %s is the path of a temporary file. If it fails, the file is not changed.
	Accept []string `hcl:"validate,optional"`
}

// Kind is the module "block_in_file".
func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "block_in_file"})
}

// Hide marks the lines as sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool {
	t.Secret = t.Secret || argument == "block"
	return argument == "block"
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case t.State == "present" && t.Block == "":
		return errors.New("block is empty, want the lines that should be there")
	case strings.Count(t.Marker, placeholder) != 1 || strings.ContainsAny(t.Marker, "\r\n"):
		return fmt.Errorf("marker is %q, want one line with %s in it once", t.Marker, placeholder)
	case slices.ContainsFunc(textedit.Split(t.Block), t.marks):
		return errors.New("block has one of its marking lines in it: give another marker")
	}
	if err := t.place().Validate(); err != nil {
		return err
	}
	if err := fileattr.CheckPath("path", t.Path); err != nil {
		return err
	}
	return t.edit().File.Check()
}

func (t *Task) place() textedit.Place {
	return textedit.Place{After: t.InsertAfter, Before: t.InsertBefore}
}

func (t *Task) edit() textedit.Edit {
	return textedit.Edit{
		File: content.File{
			Path: t.Path, Want: fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group},
			Backup: t.Backup, Validate: t.Accept, Secret: t.Secret,
		},
		Create: t.Create, Absent: t.State == "absent", Change: t.change,
	}
}

func (t *Task) begin() string { return strings.ReplaceAll(t.Marker, placeholder, "BEGIN") }
func (t *Task) end() string   { return strings.ReplaceAll(t.Marker, placeholder, "END") }

func (t *Task) marks(line string) bool { return line == t.begin() || line == t.end() }

// change returns the text as it should be.
func (t *Task) change(text string) (string, error) {
	lines := textedit.Split(text)
	first, last, err := t.find(lines)
	if err != nil {
		return "", err
	}
	var block []string
	if t.State == "present" {
		block = slices.Concat([]string{t.begin()}, textedit.Split(t.Block), []string{t.end()})
	}
	switch {
	case first < 0 && block == nil, first >= 0 && slices.Equal(lines[first:last+1], block):
		return text, nil
	case first >= 0:
		return textedit.Join(slices.Concat(lines[:first], block, lines[last+1:])), nil
	}
	after, err := t.place().Insert(lines, block...)
	return textedit.Join(after), err
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

// Plan compares the file with what it should have.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.edit().Plan(ctx, h)
}

// Outputs are the values that other tasks can read.
type Outputs struct {
	Path string `cty:"path"` // the file
}

// Outputs returns the path.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Path}, nil
}
