package ansible

import (
	"fmt"
	"strings"
)

// word is a word of a line, without the quotes and backslashes that were in it.
type word struct {
	text     string
	from, to int // offsets into the line
}

// wordError is a line that cannot be parted into words, from an offset on.
type wordError struct {
	from int
	text string
}

func (e *wordError) Error() string { return e.text }

// words parts a line as a POSIX shell does: at spaces, but not within quotes or
// behind a backslash. A # that is not quoted begins a comment, even within a word.
func words(line string) ([]word, error) {
	var all []word
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t', '\r':
			i++
		case '#':
			return all, nil
		default:
			w, err := oneWord(line, i)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
			i = w.to
		}
	}
	return all, nil
}

// oneWord reads the word that begins at an offset.
func oneWord(line string, from int) (word, error) {
	var text strings.Builder
	i := from
	for i < len(line) && strings.IndexByte(" \t\r#", line[i]) < 0 {
		switch c := line[i]; c {
		case '\'', '"':
			length, err := quoted(line, i, &text)
			if err != nil {
				return word{}, err
			}
			i += length
		case '\\':
			if i+1 == len(line) {
				return word{}, &wordError{i, "Nothing follows this backslash; to mean a backslash, write two."}
			}
			text.WriteByte(line[i+1])
			i += 2
		default:
			text.WriteByte(c)
			i++
		}
	}
	return word{text.String(), from, i}, nil
}

// quoted reads what stands in quotes that begin at an offset, and returns how long
// it is. Between double quotes a backslash keeps its meaning before " and \ only.
func quoted(line string, from int, into *strings.Builder) (length int, err error) {
	quote := line[from]
	for i := from + 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == quote:
			return i + 1 - from, nil
		case c == '\\' && quote == '"' && i+1 < len(line) && strings.IndexByte(`"\`, line[i+1]) >= 0:
			into.WriteByte(line[i+1])
			i++
		default:
			into.WriteByte(c)
		}
	}
	return 0, &wordError{from, fmt.Sprintf("This %c has no second one on the line that closes it.", quote)}
}
