// Package inifile is the module "ini_file": a section or an option of a file of settings with
// sections.
package inifile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/textedit"
)

// Task is a present or absent option, or section, of a file of settings in sections. Such files
// are those of systemd, git, pip or dnf. All other lines stay as they are, comments too.
//
// An option that is there with the value is not touched, however it is spaced; with another
// value, only the value changes. A new option goes to the end of its section or, if it is there
// in a comment, after that. A new section goes to the end of the file. Values are compared as
// texts: a comment behind a value is part of it. Lines that are indented more than their option
// continue its value.
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
	// Section is the name of the section, without brackets. Empty for the options before the
	// first section.
	Section string `hcl:"section,optional"`
	// Option is the name of the option. Without it, the section itself is made, or removed
	// with all that is in it.
	Option string `hcl:"option,optional"`
	// Value is the option's value. It may have several lines. Without value and values, the
	// option stands alone, without separator.
	Value *string `hcl:"value,optional"`
	// Values are those of an option that stands in the section once for each of them, in this
	// order, as in units of systemd.
	Values []string `hcl:"values,optional"`
	// Separator is between a new option and its value: "=" or ":", with spaces around it or
	// without. Options of the file are read with the same sign.
	Separator string `hcl:"separator,optional" default:" = "`
	textedit.Made
}

func Kind() module.Kind {
	return module.With[Task, textedit.Outputs](module.Kind{Name: "ini_file"})
}

// Hide marks the value as sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool {
	return t.Hides(argument == "value" || strings.HasPrefix(argument, "values"))
}

func (t *Task) Validate() error {
	sign := strings.TrimSpace(t.Separator)
	switch {
	case t.Section == "" && t.Option == "":
		return errors.New("section and option are empty, want at least one of them")
	case strings.ContainsAny(t.Section, "[]\r\n") || strings.TrimSpace(t.Section) != t.Section:
		return fmt.Errorf("section is %q, want the name alone, without brackets", t.Section)
	case sign != "=" && sign != ":" || strings.ContainsAny(t.Separator, "\r\n"):
		return fmt.Errorf("separator is %q, want \"=\" or \":\", perhaps with spaces", t.Separator)
	case strings.ContainsAny(t.Option, sign+"\r\n") || strings.TrimSpace(t.Option) != t.Option || comment(t.Option) || strings.HasPrefix(t.Option, "["):
		return fmt.Errorf("option is %q, want the name alone", t.Option)
	case t.Option == "" && (t.Value != nil || len(t.Values) > 0):
		return errors.New("a value needs an option, want its name")
	case t.Value != nil && len(t.Values) > 0:
		return errors.New("want value or values, not both")
	case t.Absent() && (t.Value != nil || len(t.Values) > 0):
		return errors.New("an absent option has no value, want it without value and values")
	}
	for _, value := range t.values() {
		if err := checkValue(value); err != nil {
			return err
		}
	}
	return t.Check()
}

// checkValue refuses a value that would be read differently from how it is given.
func checkValue(value string) error {
	for i, line := range strings.Split(value, "\n") {
		switch {
		case strings.TrimSpace(line) != line:
			return errors.New("a value has space around one of its lines, which is not kept: want it without")
		case i > 0 && (line == "" || comment(line)):
			return errors.New("a further line of a value is empty or a comment, and would not be read: want it without")
		}
	}
	return nil
}

// values are the values that the option should have, in order.
func (t *Task) values() []string {
	if t.Value != nil {
		return []string{*t.Value}
	}
	return t.Values
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.Edit(t.change).Plan(ctx, h)
}
