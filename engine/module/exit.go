package module

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tailLines is how many of the last lines of each output an ExitError's message carries.
// Stdout and Stderr have the whole texts.
const tailLines = 8

// ExitError is the error of a command with a non-zero exit code. All its texts are
// redacted.
type ExitError struct {
	Command string // the command line
	Code    int    // the exit code; 128+n if signal n ended it
	Stdout  string
	Stderr  string
}

// Error returns a text whose first line has the code and the last line of standard error
// or, if that is empty, of standard output. The command follows, then the last lines of
// standard error if there are more, then those of standard output.
func (e *ExitError) Error() string {
	text, other := Tail(e.Stderr, tailLines), Tail(e.Stdout, tailLines)
	if text == "" {
		text, other = other, ""
	}
	if text == "" {
		return fmt.Sprintf("command ended with code %d: %s", e.Code, brief(e.Command))
	}
	message := fmt.Sprintf("command ended with code %d: %s\n$ %s", e.Code, Tail(text, 1), brief(e.Command))
	if strings.Contains(text, "\n") {
		message += "\n" + text
	}
	if other != "" {
		message += "\nstandard output:\n" + other
	}
	return message
}

// Exited reports whether an error is the end of a command with one of the codes, or with any
// code but zero if none is given.
func Exited(err error, codes ...int) bool {
	exit, ok := errors.AsType[*ExitError](err)
	return ok && (len(codes) == 0 || slices.Contains(codes, exit.Code))
}

// brief shortens a command to one line: of a script, the first line and the text after the
// last.
func brief(command string) string {
	first, rest, script := strings.Cut(command, "\n")
	if !script {
		return command
	}
	return first + " … " + Tail(rest, 1)
}

// Tail returns the last n lines of a text, without the line end.
func Tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
