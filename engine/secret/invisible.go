package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible finds characters that a terminal does not show: control characters (Unicode's category
// Cc, with line breaks), and formatting ones (Cf), such as zero-width spaces and bidirectional
// overrides.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// unseen returns the length of the invisible character or escape sequence (ECMA-48) that a text begins with, or
// 0. Line breaks and tabs are not among them.
func unseen(text string) int {
	if text[0] >= ' ' && text[0] < 0x7f || text[0] == '\n' || text[0] == '\r' || text[0] == '\t' {
		return 0
	}
	if text[0] == 0x1b {
		return sequence(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	if !invisible(r) {
		return 0
	}
	return size
}

// sequence returns the length of the escape sequence that a text begins with. What introduces no
// sequence is a control character alone.
func sequence(text string) int {
	if len(text) < 2 {
		return 1
	}
	switch text[1] {
	case '[': // parameters, and a final byte from @ to ~
		for i := 2; i < len(text) && text[i] >= ' ' && text[i] < 0x7f; i++ {
			if text[i] >= '@' {
				return i + 1
			}
		}
	case ']': // a string, ended by BEL or ESC \
		if i := strings.IndexAny(text, "\a\n"); i > 0 && text[i] == '\a' {
			return i + 1
		}
		if i := strings.Index(text, "\x1b\\"); i > 0 {
			return i + 2
		}
	}
	return 1
}
