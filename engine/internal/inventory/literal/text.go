package literal

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
)

// parser is a text of which the beginning was read.
type parser struct{ text string }

// space skips spaces and a comment.
func (p *parser) space() {
	p.text = strings.TrimLeft(p.text, " \t\r\n\f")
	if strings.HasPrefix(p.text, "#") {
		_, after, _ := strings.Cut(p.text, "\n")
		p.text = after
		p.space()
	}
}

// isString reports whether a string comes next, with its prefix.
func (p *parser) isString() bool {
	_, _, ok := opening(p.text)
	return ok
}

// opening is the prefix and the quotes a text begins with.
func opening(text string) (prefix, quotes string, ok bool) {
	if text != "" && strings.ContainsAny(text[:1], "rRuU") {
		prefix, text = text[:1], text[1:]
	}
	for _, quotes := range []string{`"""`, `'''`, `"`, `'`} {
		if strings.HasPrefix(text, quotes) {
			return prefix, quotes, true
		}
	}
	return "", "", false
}

// strings reads a string, or several in a row, which are one.
func (p *parser) strings() (cty.Value, bool) {
	var all strings.Builder
	for p.isString() {
		if !p.string(&all) {
			return cty.NilVal, false
		}
		p.space()
	}
	return cty.StringVal(all.String()), utf8.ValidString(all.String())
}

func (p *parser) string(into *strings.Builder) bool {
	prefix, quotes, _ := opening(p.text)
	p.text = p.text[len(prefix)+len(quotes):]
	raw := strings.EqualFold(prefix, "r")
	for p.text != "" {
		switch {
		case strings.HasPrefix(p.text, quotes):
			p.text = p.text[len(quotes):]
			return true
		case p.text[0] == '\\' && raw && len(p.text) > 1:
			into.WriteString(p.text[:2])
			p.text = p.text[2:]
		case p.text[0] == '\\':
			if !p.escape(into) {
				return false
			}
		case p.text[0] == '\n' && len(quotes) == 1:
			return false
		default:
			into.WriteByte(p.text[0])
			p.text = p.text[1:]
		}
	}
	return false
}

// simple are the escapes of one letter.
const simple = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v"

// escape reads a backslash and what it means. One that means nothing stays.
func (p *parser) escape(into *strings.Builder) bool {
	if len(p.text) < 2 {
		return false
	}
	letter := p.text[1]
	for i := 0; i < len(simple); i += 2 {
		if simple[i] == letter {
			into.WriteByte(simple[i+1])
			p.text = p.text[2:]
			return true
		}
	}
	switch letter {
	case '\n':
		p.text = p.text[2:]
		return true
	case 'N': // a character by its Unicode name
		return false
	case 'x':
		return p.code(into, 2, 4, 16)
	case 'u':
		return p.code(into, 2, 6, 16)
	case 'U':
		return p.code(into, 2, 10, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		end := 2
		for end < min(4, len(p.text)) && p.text[end] >= '0' && p.text[end] <= '7' {
			end++
		}
		return p.code(into, 1, end, 8)
	}
	into.WriteString(p.text[:2])
	p.text = p.text[2:]
	return true
}

// code reads a character by the number that stands from one offset to another.
func (p *parser) code(into *strings.Builder, from, to, base int) bool {
	if len(p.text) < to {
		return false
	}
	n, err := strconv.ParseUint(p.text[from:to], base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return false
	}
	into.WriteRune(rune(n))
	p.text = p.text[to:]
	return true
}
