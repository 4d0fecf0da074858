// Package shell turns argument lists into command lines, for sh, for PowerShell and
// for programs on Windows.
//
// It is the only package that quotes. It runs nothing.
package shell

import (
	"maps"
	"slices"
	"strings"
)

// POSIX returns the argument list as one line that sh splits into exactly the
// same list. An empty list gives an empty line.
func POSIX(argv ...string) string {
	quoted := make([]string, len(argv))
	for i, arg := range argv {
		quoted[i] = posixWord(arg)
	}
	return strings.Join(quoted, " ")
}

// Exports returns the lines that put variables into the environment of a POSIX shell, with
// a line end after each. It does not check the names.
func Exports(env map[string]string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines.WriteString("export " + name + "=" + posixWord(env[name]) + "\n")
	}
	return lines.String()
}

// posixWord quotes one word if necessary. Inside single quotes sh keeps every byte except
// the quote itself.
func posixWord(word string) string {
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports whether sh may treat the character as more than itself. The
// list names what is safe, so that an unknown character is quoted.
func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("%+,-./:@_", r)
}
