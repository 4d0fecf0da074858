package bounds

import "fmt"

// JSON returns how many values a text has. Once decoded, many or deeply nested values take many times the size of the text
// in memory, so more than values of them, or nesting beyond depth, is an error. It does not check the syntax.
func JSON(text []byte, values, depth int) (int, error) {
	count, deep, quoted := 1, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			count++
			deep++
		case c == '}' || c == ']':
			deep--
		case c == ',':
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
