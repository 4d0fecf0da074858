package event

import "strings"

// FirstLine returns the first line of a message or step, which sums it up. The other lines,
// such as a diff, are details.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
