// Package textedit changes parts of a text file of a host, for the modules
// line_in_file, block_in_file, replace and ini_file.
//
// A module computes the new text as a function of the old text alone; package content
// does the reading, the diff, the backups and the writing.
package textedit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"kinit/engine/lineend"
	"kinit/engine/module"
	"kinit/modules/internal/content"
)

// longest is the most bytes of an edited file; it is read as a whole over the
// connection.
const longest = 8 << 20

// Edit is a change of a file's text.
type Edit struct {
	File   content.File // without a source
	Create bool         // begin with an empty text if there is no file
	Needed bool         // there is no argument that would make a missing file
	Absent bool         // remove something; without a file there is nothing to do
	Ends   bool         // Change sees "\n" at the end of each line, also of a file from Windows, which keeps its "\r\n"
	// Change returns the changed text. It must not change its own result.
	Change func(text string) (string, error)
	// Allowed returns why the text must not be changed; nil allows all.
	Allowed func(ctx context.Context, h module.Host, text string) error
}

// Plan returns the step that edits the file, or none.
func (e Edit) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	steps, err := e.steps(ctx, h)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	return module.OneStep(steps[0].String(), func(ctx context.Context, h module.Host) error {
		steps, err := e.steps(ctx, h) // the file may have changed since the plan
		if err != nil {
			return err
		}
		return module.DoAll(ctx, h, steps)
	}), nil
}

// steps compares the file with its changed text.
func (e Edit) steps(ctx context.Context, h module.Host) ([]module.Step, error) {
	text, there, err := e.read(ctx, h)
	switch {
	case err != nil || e.Absent && !there:
		return nil, err
	case !there && e.Needed:
		return nil, fmt.Errorf("%s is missing: make it with a task before, or give the path of a file that exists", e.File.Path)
	case !there && !e.Create:
		return nil, fmt.Errorf("%s is missing: set create = true to make it, or make it with a copy task before", e.File.Path)
	}
	after, err := e.changed(ctx, h, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File.Path, err)
	}
	e.File.Source, e.File.Edited = content.FromText([]byte(after)), &text
	if !there && e.File.Secret && e.File.Want.Mode == "" {
		e.File.Want.Mode = "0600"
	}
	return e.File.Plan(ctx, h)
}

// changed returns the file's text as it should be.
func (e Edit) changed(ctx context.Context, h module.Host, text string) (string, error) {
	lines := text
	if e.Ends {
		lines = lineend.Plain(text)
	}
	if e.Allowed != nil {
		if err := e.Allowed(ctx, h, lines); err != nil {
			return "", err
		}
	}
	after, err := e.Change(lines)
	if err == nil && e.Ends {
		after = lineend.Like(text, after)
	}
	return after, err
}

// read returns the text of a regular file and whether there is one.
func (e Edit) read(ctx context.Context, h module.Host) (string, bool, error) {
	path := e.File.Path
	info, err := h.Files().Stat(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, err
	case info.Mode&fs.ModeSymlink != 0:
		return "", false, fmt.Errorf("%s is a link to %s: give the path of the file itself", path, info.Target)
	case !info.Mode.IsRegular():
		return "", false, fmt.Errorf("%s is no regular file, want a text file", path)
	case info.Size > longest:
		return "", false, fmt.Errorf("%s has %d bytes, want at most %d to edit it", path, info.Size, longest)
	}
	text, err := content.ReadAll(ctx, h, path)
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = fmt.Errorf("%s has a zero byte in it, want a text file", path)
	}
	return string(text), err == nil, err
}

// Text is embedded in the tasks that edit a file.
type Text struct {
	// Path is the absolute path of the file.
	Path string `hcl:"path" path:"clean"`
	// Secret hides the file's content. It is also hidden if the new lines are sensitive.
	Secret bool `hcl:"secret,optional"`
	content.Attributes
}

// Edits returns the file, which one task at a time edits.
func (t *Text) Edits() string { return t.Path }

// Hides makes the file secret if an argument that its new text comes from is sensitive.
func (t *Text) Hides(sensitive bool) bool {
	t.Secret = t.Secret || sensitive
	return sensitive
}

// Check returns the mistake in the arguments.
func (t *Text) Check() error { return t.File(t.Path, t.Secret).Check() }

// Made is embedded in the tasks that edit a file, or make it.
type Made struct {
	module.Presence
	// Create makes a missing file. Its folder must exist.
	Create bool `hcl:"create,optional"`
	Text
}

// Edit returns the change of the file, by a function of its text.
func (m *Made) Edit(change func(text string) (string, error)) Edit {
	return Edit{File: m.File(m.Path, m.Secret), Create: m.Create, Absent: m.Absent(), Ends: true, Change: change}
}

// Arguments is embedded in the tasks that insert lines.
type Arguments struct {
	// InsertAfter is a regular expression: new lines are put after the last line that
	// matches it, or at the end.
	InsertAfter string `hcl:"insert_after,optional"`
	// InsertBefore is a regular expression: new lines are put before the first line that
	// matches it, or at the end. "^" is the beginning of the file.
	InsertBefore string `hcl:"insert_before,optional"`
	Made
}

// Check returns the mistake in the arguments.
func (a *Arguments) Check() error {
	if a.InsertAfter != "" && a.InsertBefore != "" {
		return errors.New("want insert_after or insert_before, not both")
	}
	if _, err := Compile("insert_after", a.InsertAfter); err != nil {
		return err
	}
	if _, err := Compile("insert_before", a.InsertBefore); err != nil {
		return err
	}
	return a.Made.Check()
}

// Outputs are those of the tasks.
type Outputs struct {
	Path string `cty:"path" arg:"path,content"` // the file
}

func (t *Text) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Path}, nil
}
