// Package lineinfile is the module "line_in_file": one line of a text file that
// others write too.
package lineinfile

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/textedit"
)

// Task is a present or absent line of a text file. The rest of the file does not change.
//
// A present line replaces the last line that matches match, if match is given and a line
// matches; otherwise it is inserted, unless the file already has it. An absent line is
// removed everywhere: each line that matches or, without match, each that is equal to line.
// To manage a whole file, copy or template is the better choice.
//
// Bytes that are not UTF-8 do not change, and a file whose lines end as on Windows keeps these
// line ends. A file that the cluster does not own is only changed with backup = true.
//
// Errors:
//   - the file is missing and create is not set
//   - path is a link, has a zero byte in it, or is longer than 8 MiB
//   - the cluster does not own the file and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	// Line is the line, without its end. Needed unless state is "absent" and match is
	// given.
	Line string `hcl:"line,optional" nonempty:"want the line that should be there"`
	// Match is a regular expression for the line to replace or to remove, in Go's syntax, with
	// look-ahead as in "^port (?!443)" too. Without look-ahead it should match line too, so that
	// later runs find it.
	Match string `hcl:"match,optional"`
	textedit.Arguments
}

func Kind() module.Kind {
	return module.With[Task, textedit.Outputs](module.Kind{Name: "line_in_file"})
}

// Hide marks the line as sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool { return t.Hides(argument == "line") }

func (t *Task) Validate() error {
	switch {
	case strings.ContainsAny(t.Line, "\r\n"):
		return errors.New("line has a line end in it, want one line: for several use block_in_file")
	case t.Line == "" && t.Match == "":
		return errors.New("line and match are empty, want the line that should not be there")
	}
	if _, err := textedit.Compile("match", t.Match); err != nil {
		return err
	}
	return t.Check()
}

func (t *Task) change(text string) (string, error) {
	lines := content.Split(text)
	found, err := t.matching(lines)
	if err != nil {
		return "", err
	}
	if t.Absent() {
		var left []string
		for i, line := range lines {
			if !found[i] {
				left = append(left, line)
			}
		}
		if len(left) == len(lines) {
			return text, nil // even if its last line has no end
		}
		return content.Join(left), nil
	}
	itself, err := t.matching([]string{t.Line})
	if err != nil {
		return "", err
	}
	at := textedit.Last(found)
	switch {
	case at >= 0 && lines[at] == t.Line:
		return text, nil
	case !itself[0] && slices.Contains(lines, t.Line):
		return text, nil // an earlier run inserted it or replaced a line by it
	case at >= 0:
		lines[at] = t.Line
		return content.Join(lines), nil
	}
	after, err := t.Insert(lines, t.Line)
	return content.Join(after), err
}

// matching reports for each line whether it is one to replace or to remove.
func (t *Task) matching(lines []string) ([]bool, error) {
	if t.Match != "" {
		return textedit.Matching("match", t.Match, lines)
	}
	return lists.Map(lines, func(line string) bool { return line == t.Line }), nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.Edit(t.change).Plan(ctx, h)
}
