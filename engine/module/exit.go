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

// Error says in its first line the code and the last line that the command wrote, to
// standard error or, where that is empty, to standard output. The command and, where
// there are more, its last lines follow.
func (e *ExitError) Error() string {
	text := Tail(e.Stderr, tailLines)
	if text == "" {
		text = Tail(e.Stdout, tailLines)
	}
	if text == "" {
		return fmt.Sprintf("command ended with code %d: %s", e.Code, brief(e.Command))
	}
	message := fmt.Sprintf("command ended with code %d: %s\n$ %s", e.Code, Tail(text, 1), brief(e.Command))
	if strings.Contains(text, "\n") {
		message += "\n" + text
	}
	return message
}

// brief is a command in one line: of a script, the first line and what follows the
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
