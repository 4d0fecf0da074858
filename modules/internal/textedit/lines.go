package textedit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Split returns a text's lines without their ends. The last line may lack one.
func Split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Join makes a text of lines, each with its end.
func Join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Place is where lines are inserted. At most one of the two is given; without
// one, and if no line matches, they are inserted at the end.
type Place struct {
	After  string // a regular expression: after the last line that matches it
	Before string // a regular expression: before the first line that matches it
}

// Validate returns the mistake in the arguments insert_after and insert_before.
func (p Place) Validate() error {
	if p.After != "" && p.Before != "" {
		return fmt.Errorf("want insert_after or insert_before, not both")
	}
	if _, err := Compile("insert_after", p.After); err != nil {
		return err
	}
	_, err := Compile("insert_before", p.Before)
	return err
}

// Compile reads a regular expression of an argument.
func Compile(argument, expression string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%s is no regular expression: %w", argument, err)
	}
	return re, nil
}

// Insert puts new lines among the others.
func (p Place) Insert(lines []string, added ...string) ([]string, error) {
	at, err := p.index(lines)
	if err != nil {
		return nil, err
	}
	return slices.Insert(slices.Clone(lines), at, added...), nil
}

func (p Place) index(lines []string) (int, error) {
	after, err := Compile("insert_after", p.After)
	if err != nil {
		return 0, err
	}
	before, err := Compile("insert_before", p.Before)
	if err != nil {
		return 0, err
	}
	switch {
	case p.Before != "":
		if i := slices.IndexFunc(lines, before.MatchString); i >= 0 {
			return i, nil
		}
	case p.After != "":
		if i := Last(lines, after.MatchString); i >= 0 {
			return i + 1, nil
		}
	}
	return len(lines), nil
}

// Last returns the index of the last line that fulfils a condition, or -1.
func Last(lines []string, is func(string) bool) int {
	for i, line := range slices.Backward(lines) {
		if is(line) {
			return i
		}
	}
	return -1
}
