package event

import "strings"

// FirstLine is what a message or step says in short: its first line. The others, such
// as a diff, say more.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
