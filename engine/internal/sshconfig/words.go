package sshconfig

import (
	"errors"
	"strings"
)

const blanks = " \t\r\f"

var errQuotes = errors.New("a quotation mark is missing")

// splitKeyword parts a line into its keyword, in lower case, and what follows it: behind spaces, one "=", or both. An
// empty line and a comment have no keyword.
func splitKeyword(line string) (keyword, rest string) {
	line = strings.Trim(line, blanks+"\n")
	if line == "" || line[0] == '#' {
		return "", ""
	}
	end := strings.IndexAny(line, blanks+"=")
	if end < 0 {
		return strings.ToLower(line), ""
	}
	keyword, rest = line[:end], strings.TrimLeft(line[end:], blanks)
	if after, ok := strings.CutPrefix(rest, "="); ok {
		rest = strings.TrimLeft(after, blanks)
	}
	return strings.ToLower(keyword), rest
}

// words parts arguments at spaces that are not quoted. A # at the beginning of a word begins a comment.
func words(text string) ([]string, error) {
	var all []string
	for {
		word, rest, err := nextWord(text)
		if err != nil || rest == text {
			return all, err
		}
		all, text = append(all, word), rest
	}
}

// nextWord reads one word, and returns what follows it: the text itself if it has no word. Quotation marks are
// single or double; a backslash takes the meaning of a quotation mark, a backslash, or, outside of quotes, a space.
func nextWord(text string) (word, rest string, err error) {
	trimmed := strings.TrimLeft(text, blanks)
	if trimmed == "" || trimmed[0] == '#' {
		return "", text, nil
	}
	var found strings.Builder
	var quote byte
	i := 0
	for ; i < len(trimmed) && (quote != 0 || strings.IndexByte(blanks, trimmed[i]) < 0); i++ {
		c := trimmed[i]
		switch {
		case c == '\\' && i+1 < len(trimmed) && escapes(trimmed[i+1], quote):
			i++
			found.WriteByte(trimmed[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		default:
			found.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", text, errQuotes
	}
	return found.String(), trimmed[i:], nil
}

func escapes(next, quote byte) bool {
	return next == '"' || next == '\'' || next == '\\' || next == ' ' && quote == 0
}
