package value

import (
	"strings"
	"unicode"
)

// Wildcard is a pattern as -like knows it: *, ?, [a-z] and the backtick.
type Wildcard struct {
	pattern []rune
	exact   bool
}

// NewWildcard is a pattern; exact says that case matters.
func NewWildcard(pattern string, exact bool) Wildcard {
	return Wildcard{pattern: []rune(pattern), exact: exact}
}

// HasWildcards reports whether a text is more than itself as a pattern.
func HasWildcards(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

// Match reports whether the whole of a text fits the pattern.
func (w Wildcard) Match(text string) bool { return w.match(w.pattern, []rune(text)) }

func (w Wildcard) match(pattern, text []rune) bool {
	for len(pattern) > 0 {
		if pattern[0] == '*' {
			return w.star(pattern[1:], text)
		}
		fits, rest := w.one(pattern, text)
		if !fits {
			return false
		}
		pattern, text = rest, text[1:]
	}
	return len(text) == 0
}

func (w Wildcard) star(pattern, text []rune) bool {
	for len(pattern) > 0 && pattern[0] == '*' {
		pattern = pattern[1:]
	}
	if len(pattern) == 0 {
		return true
	}
	for i := 0; i <= len(text); i++ {
		if w.match(pattern, text[i:]) {
			return true
		}
	}
	return false
}

// one matches the first character of a text, and returns the pattern behind.
func (w Wildcard) one(pattern, text []rune) (bool, []rune) {
	if len(text) == 0 {
		return false, nil
	}
	switch c := pattern[0]; {
	case c == '?':
		return true, pattern[1:]
	case c == '[':
		if end := closing(pattern); end > 0 {
			return w.set(pattern[1:end], text[0]), pattern[end+1:]
		}
		return false, nil
	case c == '`' && len(pattern) > 1:
		return w.same(pattern[1], text[0]), pattern[2:]
	default:
		return w.same(c, text[0]), pattern[1:]
	}
}

func closing(pattern []rune) int {
	for i := 2; i < len(pattern); i++ {
		if pattern[i] == ']' {
			return i
		}
	}
	return 0
}

func (w Wildcard) set(set []rune, r rune) bool {
	r = w.fold(r)
	for i := 0; i < len(set); i++ {
		low, high := w.fold(set[i]), w.fold(set[i])
		if i+2 < len(set) && set[i+1] == '-' {
			high = w.fold(set[i+2])
			i += 2
		}
		if low <= r && r <= high {
			return true
		}
	}
	return false
}

func (w Wildcard) same(a, b rune) bool { return w.fold(a) == w.fold(b) }

func (w Wildcard) fold(r rune) rune {
	if w.exact {
		return r
	}
	return unicode.ToLower(r)
}

// Unescape is a pattern without the backticks before characters that have a meaning in patterns.
func Unescape(pattern string) string {
	return strings.NewReplacer("`[", "[", "`]", "]", "`*", "*", "`?", "?").Replace(pattern)
}
