// Package lineend converts texts whose lines end as on Windows, with "\r\n".
package lineend

import (
	"bytes"
	"strings"
)

// Windows reports whether a text has lines, and each of them ends with "\r\n".
func Windows(text string) bool {
	all := strings.Count(text, "\n")
	return all > 0 && strings.Count(text, "\r\n") == all
}

// Unix returns a text with "\n" in place of each "\r\n".
func Unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// Plain returns a text in which each line ends with "\r\n" with "\n" instead, and any other text unchanged.
func Plain(text string) string {
	if !Windows(text) {
		return text
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// Like returns a text with lines that end as those of another text: with "\r\n" if all of the other's do.
func Like(other, text string) string {
	if !Windows(other) {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}
