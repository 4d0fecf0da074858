package module

import (
	"fmt"
	"strings"
)

// tailLines is how many of the last lines of standard error an ExitError's
// message carries. The whole text stays in Stderr.
const tailLines = 8

// ExitError is a command that ended with a non-zero code. All its texts are
// redacted.
type ExitError struct {
	Command string // the command line
	Code    int    // the exit code; 128+n when signal n ended it
	Stdout  string
	Stderr  string
}

// Error names the program, the code and the last lines it wrote, to standard
// error or, where that is empty, to standard output.
func (e *ExitError) Error() string {
	text := Tail(e.Stderr, tailLines)
	if text == "" {
		text = Tail(e.Stdout, tailLines)
	}
	if text == "" {
		return fmt.Sprintf("command ended with code %d: %s", e.Code, e.Command)
	}
	return fmt.Sprintf("command ended with code %d: %s\n%s", e.Code, e.Command, text)
}

// Tail returns the last n lines of a text, without the line end.
func Tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
