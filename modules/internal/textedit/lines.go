package textedit

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/regex"
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
func Compile(argument, expression string) (*regex.Regexp, error) {
	re, err := regex.Compile(expression)
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
	argument, expression := "insert_after", p.After
	if p.Before != "" {
		argument, expression = "insert_before", p.Before
	}
	if expression == "" {
		return len(lines), nil
	}
	found, err := Matching(argument, expression, lines)
	if err != nil {
		return 0, err
	}
	if at := slices.Index(found, true); p.Before != "" && at >= 0 {
		return at, nil
	}
	if at := Last(found); p.Before == "" && at >= 0 {
		return at + 1, nil
	}
	return len(lines), nil
}

// Matching reports for each line whether the expression of an argument matches it.
func Matching(argument, expression string, lines []string) ([]bool, error) {
	re, err := Compile(argument, expression)
	if err != nil {
		return nil, err
	}
	found := make([]bool, len(lines))
	for i, line := range lines {
		if found[i], err = re.Match(line); err != nil {
			return nil, fmt.Errorf("%s: %w", argument, err)
		}
	}
	return found, nil
}

// Last returns the index of the last line that matches, or -1.
func Last(found []bool) int {
	for i, is := range slices.Backward(found) {
		if is {
			return i
		}
	}
	return -1
}
