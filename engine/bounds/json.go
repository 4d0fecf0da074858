package bounds

import (
	"encoding/json"
	"fmt"
	"iter"
)

// JSON returns how many values a text has. Once decoded, many or deeply nested values take many times the size of the text
// in memory, so more than values of them, or nesting beyond depth, is an error. It does not check the syntax.
func JSON(text []byte, values, depth int) (int, error) {
	count, deep := 1, 0
	for c := range structure(text) {
		switch c {
		case '{', '[':
			count++
			deep++
		case '}', ']':
			deep--
		case ',':
			count++
		}
		if count > values {
			return count, fmt.Errorf("it has more than %d values", values)
		}
		if deep > depth {
			return count, fmt.Errorf("its values are nested more than %d deep", depth)
		}
	}
	return count, nil
}

// structure yields the braces, brackets and commas of a text of JSON, without those in strings.
func structure(text []byte) iter.Seq[byte] {
	return func(yield func(byte) bool) {
		quoted := false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == '{', c == '}', c == '[', c == ']', c == ',':
				if !yield(c) {
					return
				}
			}
		}
	}
}

// The limits of JSON that a host prints or a server sends, up to 8 MiB long. Decoded, an empty object takes a hundred times the
// memory of its text, most of all in the list that the text is made of.
const (
	mostSent     = 100_000 // values
	mostObjects  = 40_000
	mostListed   = 6_000 // elements of a list that is the text itself, or that a field of it has
	mostSentDeep = 100
)

// DecodeJSON decodes a text that a host has printed, or a server sent. A text whose values would take much more memory than
// the text is an error.
func DecodeJSON(text []byte, into any) error {
	if _, err := JSON(text, mostSent, mostSentDeep); err != nil {
		return err
	}
	objects, listed, deep := 0, 0, 0
	var lists [mostSentDeep + 1]bool // by depth
	for c := range structure(text) {
		switch {
		case c == '{' || c == '[':
			if c == '{' {
				objects++
			}
			deep++
			lists[min(deep, mostSentDeep)] = c == '['
		case c == '}' || c == ']':
			deep = max(deep-1, 0)
		case deep <= 2 && lists[deep]:
			listed++
		}
		if objects > mostObjects || listed > mostListed {
			return fmt.Errorf("it has more than %d objects, or lists more than %d", mostObjects, mostListed)
		}
	}
	return json.Unmarshal(text, into)
}
