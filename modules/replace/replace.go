// Package replace is the module "replace": all parts of a text file that a regular expression
// matches.
package replace

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"kinit/engine/module"
	"kinit/engine/regex"
	"kinit/modules/internal/textedit"
)

// Task is a text file in which all parts that a regular expression matches are replaced.
//
// "^" and "$" match at the ends of each line, and "." matches no line end. Expressions are in
// Go's syntax; look-ahead, look-behind and references to groups, as in "(?!x)", "(?<=x)" and
// "(\\w)\\1", work too. What the replacement makes must not be replaced again by the next run:
// look-ahead leaves out the parts that are already as they should be.
//
// A file that the cluster does not own is only changed with backup = true.
//
// Errors:
//   - the file is missing
//   - after or before matches nothing in the file
//   - a second run would replace the replacement
//   - the expression takes more than 5 s
//   - path is a link, has a zero byte in it, or is longer than 8 MiB
//   - the cluster does not own the file and backup is not set
//   - validate rejects the new content; the file is then unchanged
type Task struct {
	// Match is the regular expression for the parts to replace.
	Match string `hcl:"match" nonempty:"want the expression for the parts to replace"`
	// Replacement is the new text of each part. "$1" is the first group of match, "${1}" the
	// same before a letter or digit, "${name}" the group "(?P<name>…)", and "$$" a dollar sign;
	// in HCL "${" is written "$${". Without it the parts are removed.
	Replacement string `hcl:"replacement,optional"`
	// After is a regular expression: only the text after its first match is changed.
	After string `hcl:"after,optional"`
	// Before is a regular expression: only the text before its first match is changed; with
	// after, its first match behind that of after counts.
	Before string `hcl:"before,optional"`
	textedit.Text
}

func Kind() module.Kind {
	return module.With[Task, textedit.Outputs](module.Kind{Name: "replace"})
}

// Hide marks the replacement as sensitive, so that the file is secret.
func (t *Task) Hide(argument string) bool { return t.Hides(argument == "replacement") }

// python matches the references to groups of other languages.
var python = regexp.MustCompile(`\\(\d|g<)`)

func (t *Task) Validate() error {
	for _, one := range []struct{ argument, expression string }{{"match", t.Match}, {"after", t.After}, {"before", t.Before}} {
		if _, err := regex.CompileLines(one.expression); err != nil {
			return fmt.Errorf("%s is no regular expression: %w", one.argument, err)
		}
	}
	if found := python.FindString(t.Replacement); found != "" {
		return fmt.Errorf("replacement has %q in it, want \"$1\" for the first group, and \"$${1}\" before a letter or digit", found)
	}
	return t.Check()
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return textedit.Edit{File: t.File(t.Path, t.Secret), Needed: true, Change: t.change}.Plan(ctx, h)
}

// change returns the changed text, if changing it once more makes no difference.
func (t *Task) change(text string) (string, error) {
	once, err := t.replace(text)
	if err != nil || once == text {
		return once, err
	}
	twice, err := t.replace(once)
	if err == nil && twice != once {
		err = errors.New("match matches the replacement too, so that each run would change it again: " +
			"leave out what is already as it should be, as with \"a(?!b)\" for an \"a\" without a \"b\" behind it")
	}
	return once, err
}

func (t *Task) replace(text string) (string, error) {
	start, end, err := t.limits(text)
	if err != nil {
		return "", err
	}
	re, err := regex.CompileLines(t.Match)
	if err != nil {
		return "", err
	}
	middle, err := re.Replace(text[start:end], t.Replacement)
	return text[:start] + middle + text[end:], err
}

// limits returns which part of the text is changed, in bytes.
func (t *Task) limits(text string) (start, end int, err error) {
	end = len(text)
	if t.After != "" {
		if _, start, err = find("after", t.After, text); err != nil {
			return 0, 0, err
		}
	}
	if t.Before != "" {
		if end, _, err = find("before", t.Before, text[start:]); err != nil {
			return 0, 0, err
		}
		end += start
	}
	return start, end, nil
}

// find returns where the first match of an argument begins and ends.
func find(argument, expression, text string) (start, end int, err error) {
	re, err := regex.CompileLines(expression)
	if err != nil {
		return 0, 0, err
	}
	start, end, found, err := re.Index(text)
	if err == nil && !found {
		err = fmt.Errorf("%s matches nothing in the file: %q", argument, expression)
	}
	return start, end, err
}
