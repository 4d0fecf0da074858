// Package cmdtext shows command lines to people and looks for text in what
// commands print.
package cmdtext

import (
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
)

// shownBytes is how much of a line is shown: enough for most commands, and not
// much more than a terminal's width.
const shownBytes = 120

// Show is a command line for people: on one line, without secrets, cut where it
// is long.
func Show(h module.Host, argv []string) string {
	return Shorten(h.Redact(shell.POSIX(argv...)))
}

// Shorten puts a text on one line and cuts it where it is long.
func Shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= shownBytes {
		return text
	}
	return strings.ToValidUTF8(text[:shownBytes], "") + " …"
}

// Matches tells whether the text contains the wanted text, or a match of it as a
// regular expression.
func Matches(want, text string) bool {
	if strings.Contains(text, want) {
		return true
	}
	re, err := regexp.Compile(want)
	return err == nil && re.MatchString(text)
}
