package sshconfig

import "strings"

// Matches reports whether a text matches a pattern, in which * means any text and ? any byte.
func Matches(text, pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] == '*':
			rest := strings.TrimLeft(pattern[i:], "*")
			if rest == "" {
				return true
			}
			for from := i; from <= len(text); from++ {
				if Matches(text[from:], rest) {
					return true
				}
			}
			return false
		case i >= len(text) || pattern[i] != '?' && pattern[i] != text[i]:
			return false
		}
	}
	return len(text) == len(pattern)
}

// anyMatches reports whether a text matches one of the patterns. A pattern that begins with "!" excludes what matches it.
func anyMatches(text string, patterns []string) bool {
	found := false
	for _, pattern := range patterns {
		pattern, negated := strings.CutPrefix(pattern, "!")
		if !Matches(text, pattern) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// listed is anyMatches for a list with commas.
func listed(text, list string) bool { return anyMatches(text, strings.Split(list, ",")) }
