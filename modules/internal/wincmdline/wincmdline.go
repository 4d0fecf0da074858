// Package wincmdline makes command lines of Windows, where a program gets one text and
// takes it apart itself.
package wincmdline

import (
	"strings"

	"kinit/engine/lists"
)

// Join is the command line that CommandLineToArgvW and the C runtime take apart into
// exactly these words. The first, the program, must have no quote in it.
func Join(words ...string) string {
	return strings.Join(lists.Map(words, quote), " ")
}

// quote quotes a word where it needs it. Backslashes count only before a quote: there
// each of them is doubled.
func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\v\"") {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, c := range []byte(word) {
		switch c {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes+1))
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
		}
		slashes = 0
		b.WriteByte(c)
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	b.WriteByte('"')
	return b.String()
}

// Property is a word of msiexec's own rules, as in TARGETDIR="C:\Program Files\x":
// quotes stand around the value, and one inside is doubled.
func Property(name, value string) string {
	if value != "" && !strings.ContainsAny(value, " \t\"") {
		return name + "=" + value
	}
	return name + `="` + strings.ReplaceAll(value, `"`, `""`) + `"`
}
