// Package unknown is the error of a simulator that is asked for something it does not
// model. Nothing of a script can catch or silence it: a simulator that guesses would
// prove nothing.
package unknown

import (
	"errors"
	"fmt"
)

// Error says what the simulator does not know, and where the script uses it.
type Error struct {
	What   string // a noun phrase: "the cmdlet Get-Foo"
	Line   int    // of the script, from 1; 0 where it is not known yet
	Column int    // in characters, from 1
}

// New is an error without a place; At gives it one.
func New(format string, args ...any) error {
	return &Error{What: fmt.Sprintf(format, args...)}
}

// Error is the sentence that people read.
func (e *Error) Error() string {
	if e.Line == 0 {
		return "the simulator does not know " + e.What
	}
	return fmt.Sprintf("the simulator does not know %s (line %d, column %d)", e.What, e.Line, e.Column)
}

// Is reports whether an error is one, or wraps one.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// At gives an error its place, unless it has one or is another error.
func At(err error, line, column int) error {
	var e *Error
	if !errors.As(err, &e) || e.Line != 0 {
		return err
	}
	return &Error{What: e.What, Line: line, Column: column}
}
