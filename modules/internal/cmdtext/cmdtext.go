// Package cmdtext formats command lines for people and searches the output of
// commands.
package cmdtext

import (
	"regexp"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/shell"
)

// shownBytes is how much of a line is shown: enough for most commands, and not
// much more than a terminal's width.
const shownBytes = 120

// Show formats a command line for people: on one line, without secrets, shortened if it
// is long.
func Show(h module.Host, argv []string) string {
	return Shorten(h.Redact(shell.POSIX(argv...)))
}

// Shorten puts a text on one line and shortens it if it is long.
func Shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= shownBytes {
		return text
	}
	return strings.ToValidUTF8(text[:shownBytes], "") + " …"
}

// Matches reports whether the text contains the wanted text, or a match of it as a
// regular expression.
func Matches(want, text string) bool {
	if strings.Contains(text, want) {
		return true
	}
	re, err := regexp.Compile(want)
	return err == nil && re.MatchString(text)
}

// Progress is a module.Command's Line that reports each line that is not blank.
func Progress(h module.Host) func(line string) {
	return func(line string) {
		if line = strings.TrimSpace(line); line != "" {
			h.Report(event.Progress{Text: Shorten(h.Redact(line))})
		}
	}
}
