package textedit

import (
	"fmt"
	"slices"

	"kinit/engine/regex"
)

// Compile reads a regular expression of an argument.
func Compile(argument, expression string) (*regex.Regexp, error) {
	re, err := regex.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("%s is no regular expression: %w", argument, err)
	}
	return re, nil
}

// Insert puts new lines among the others, at the end if no line matches.
func (a *Arguments) Insert(lines []string, added ...string) ([]string, error) {
	at, err := a.index(lines)
	if err != nil {
		return nil, err
	}
	return slices.Insert(slices.Clone(lines), at, added...), nil
}

func (a *Arguments) index(lines []string) (int, error) {
	argument, expression := "insert_after", a.InsertAfter
	if a.InsertBefore != "" {
		argument, expression = "insert_before", a.InsertBefore
	}
	if expression == "" {
		return len(lines), nil
	}
	found, err := Matching(argument, expression, lines)
	if err != nil {
		return 0, err
	}
	if at := slices.Index(found, true); a.InsertBefore != "" && at >= 0 {
		return at, nil
	}
	if at := Last(found); a.InsertBefore == "" && at >= 0 {
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
