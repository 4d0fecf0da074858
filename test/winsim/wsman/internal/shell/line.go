package shell

import (
	"io"
	"unicode/utf16"

	"kinit/test/winsim/process"
)

// What may be how long, in UTF-16 units: a line for cmd.exe, and a line with which
// a process is created (CreateProcess).
const (
	maxCmdLine     = 8191
	maxProcessLine = 32766
)

// cmdPrefix is what the server puts before a line.
const cmdPrefix = `%COMSPEC% /C "`

func length(line string) int { return len(utf16.Encode([]rune(line))) }

// refuseLine ends a command as cmd.exe does when its line is too long for it.
func refuseLine(c *command, p process.Command) {
	_, _ = io.WriteString(p.Stderr, "The command line is too long.\r\n")
	c.finish(1)
}
