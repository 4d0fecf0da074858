package textedit

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// Arguments is embedded in the tasks that edit a file.
type Arguments struct {
	// Path is the absolute path of the file.
	Path string `hcl:"path"`
	// InsertAfter is a regular expression: new lines are put after the last line that
	// matches it, or at the end.
	InsertAfter string `hcl:"insert_after,optional"`
	// InsertBefore is a regular expression: new lines are put before the first line that
	// matches it, or at the end. "^" is the beginning of the file.
	InsertBefore string `hcl:"insert_before,optional"`
	module.Presence
	// Create makes a missing file. Its folder must exist.
	Create bool `hcl:"create,optional"`
	// Secret hides the file's content. It is also hidden if the new lines are sensitive.
	Secret bool `hcl:"secret,optional"`
	content.Attributes
}

// Place returns where new lines are inserted.
func (a *Arguments) Place() Place { return Place{After: a.InsertAfter, Before: a.InsertBefore} }

// Edit returns the change of the file, by a function of its text.
func (a *Arguments) Edit(change func(text string) (string, error)) Edit {
	return Edit{File: a.File(a.Path, a.Secret), Create: a.Create, Absent: a.Absent(), Change: change}
}

// Check returns the mistake in the arguments.
func (a *Arguments) Check() error {
	if err := a.Place().Validate(); err != nil {
		return err
	}
	if err := fileattr.CheckPath("path", a.Path); err != nil {
		return err
	}
	return a.File(a.Path, a.Secret).Check()
}

// Outputs are those of the tasks.
type Outputs struct {
	Path string `cty:"path"` // the file
}

// Outputs returns the path.
func (a *Arguments) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: a.Path}, nil
}
