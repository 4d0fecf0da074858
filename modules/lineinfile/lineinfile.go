// Package lineinfile is the module "line_in_file": one line of a text file that
// others write too.
package lineinfile

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/textedit"
)

// Task is a line of a text file that is there, or not. The rest of the file stays
// as it is.
//
// A present line takes the place of the last line that matches, where match is
// given and one does; else it is inserted, unless the file has it already. An
// absent one is removed wherever it stands: each line that matches or, without
// match, each that is equal to line. Where a whole file is known, copy or template
// is the better choice.
//
// A file that the cluster does not own is only changed with backup = true.
//
// Outputs:
//   - path: the file
//
// Errors:
//   - the file is missing and create is not set
//   - path is a link, no UTF-8 text, or longer than 8 MiB
//   - the cluster does not own the file and backup is not set
//   - validate rejects the new content; the file is then as before
type Task struct {
	// Path is the absolute path of the file.
	Path string `hcl:"path"`
	// Line is the line, without its end. Needed unless state is "absent" and match is
	// given.
	Line string `hcl:"line,optional"`
	// Match is a regular expression, as Go has them, for the line to replace or to
	// remove. It should match line too, so that later runs find it.
	Match string `hcl:"match,optional"`
	// InsertAfter is a regular expression: a new line is put after the last line that
	// matches it, or at the end.
	InsertAfter string `hcl:"insert_after,optional"`
	// InsertBefore is a regular expression: a new line is put before the first line
	// that matches it, or at the end. "^" is the beginning of the file.
	InsertBefore string `hcl:"insert_before,optional"`
	// State is "present" or "absent".
	State string `hcl:"state,optional"`
	// Create makes a file that is missing. Its folder must exist.
	Create bool `hcl:"create,optional"`
	// Mode is the permission bits of the file, such as "0644". Default: as they are,
	// "0644" for a new file, "0600" for one that is secret.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: as it is.
	Group string `hcl:"group,optional"`
	// Secret says that the file's content must not be shown. It is so too when the line
	// is sensitive.
	Secret bool `hcl:"secret,optional"`
	// Backup keeps what was there before kinit as <path>.kinit-backup. Cleanup puts
	// it back where the host belongs to a cluster.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that accepts the new content, as in ["visudo", "-cf", "%s"];
	// %s is the path of a temporary file. When it fails, the file stays as it was.
	Accept []string `hcl:"validate,optional"`
}

// Kind is the module "line_in_file".
func Kind() module.Kind {
	return module.Kind{Name: "line_in_file", New: func() module.Task { return &Task{State: "present"} }}
}

// Hide says that the line is sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool {
	t.Secret = t.Secret || argument == "line"
	return argument == "line"
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case strings.ContainsAny(t.Line, "\r\n"):
		return errors.New("line has a line end in it, want one line: for several use block_in_file")
	case t.State == "present" && t.Line == "":
		return errors.New("line is empty, want the line that should be there")
	case t.Line == "" && t.Match == "":
		return errors.New("line and match are empty, want the line that should not be there")
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if _, err := textedit.Compile("match", t.Match); err != nil {
		return err
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

// change returns the text as it should be.
func (t *Task) change(text string) (string, error) {
	re, err := textedit.Compile("match", t.Match)
	if err != nil {
		return "", err
	}
	matches := func(line string) bool { return line == t.Line }
	if t.Match != "" {
		matches = re.MatchString
	}
	lines := textedit.Split(text)
	if t.State == "absent" {
		left := slices.DeleteFunc(slices.Clone(lines), matches)
		return same(text, lines, left), nil
	}
	at := textedit.Last(lines, matches)
	switch {
	case at >= 0 && lines[at] == t.Line:
		return text, nil
	case !matches(t.Line) && slices.Contains(lines, t.Line):
		return text, nil // it was inserted, or took a place, in an earlier run
	case at >= 0:
		lines[at] = t.Line
		return textedit.Join(lines), nil
	}
	after, err := t.place().Insert(lines, t.Line)
	return textedit.Join(after), err
}

// same keeps a text whose lines did not change, be it that its last line has no end.
func same(text string, before, after []string) string {
	if slices.Equal(before, after) {
		return text
	}
	return textedit.Join(after)
}

// Plan compares the file with what it should have.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.edit().Plan(ctx, h)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"path": cty.String} }

// Outputs returns the path.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"path": cty.StringVal(t.Path)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Discreet  = (*Task)(nil)
)
